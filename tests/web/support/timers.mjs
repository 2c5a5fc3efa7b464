/** A clock that stands still until it is told to run. */

export class FakeTimers {
  #at = 1_000;
  #next = 1;
  #waiting = new Map();

  now = () => this.#at;

  setTimeout = (run, ms) => {
    const id = this.#next;
    this.#next += 1;
    this.#waiting.set(id, { run, at: this.#at + ms });
    return id;
  };

  clearTimeout = (id) => {
    this.#waiting.delete(id);
  };

  /** Lets `ms` pass: everything that falls due runs at its own instant, in order. */
  pass(ms) {
    const end = this.#at + ms;
    for (let due = this.#earliest(end); due; due = this.#earliest(end)) {
      this.#waiting.delete(due.id);
      this.#at = due.at;
      due.run();
    }
    this.#at = end;
  }

  #earliest(end) {
    const due = [...this.#waiting]
      .map(([id, timer]) => ({ id, ...timer }))
      .filter(({ at }) => at <= end);
    return due.sort((a, b) => a.at - b.at || a.id - b.id)[0];
  }
}
