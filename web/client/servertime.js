/**
 * What time it is at the server, estimated from the `now` of its messages.
 * A message takes time to arrive, so each one gives an estimate that is late by its journey: the
 * quickest of the last few is the best. Knows nothing of clocks on a board.
 */

const SAMPLES = 8;

export class ServerTime {
  #localNow;
  #offsets = [];

  constructor(localNow) {
    this.#localNow = localNow;
  }

  /** A message stamped `serverNow` (epoch ms) has just arrived. */
  hear(serverNow) {
    this.#offsets.push(serverNow - this.#localNow());
    if (this.#offsets.length > SAMPLES) this.#offsets.shift();
  }

  /** The server's time, never ahead of it: epoch ms; the local time before anything was heard. */
  now() {
    return this.at(this.#localNow());
  }

  /** What it was there at an instant of the local clock. */
  at(local) {
    return local + (this.#offsets.length ? Math.max(...this.#offsets) : 0);
  }
}
