/**
 * Actions until they are answered: each is sent again, with the same id, until a message says
 * `re` = id. That is safe because every action is: the server knows what it has done already.
 * Knows nothing of what the actions mean.
 */

const FIRST_WAIT_MS = 3_000;
const LONGEST_WAIT_MS = 24_000;
const BUSY_WAIT_MS = 1_000;
const MOST_POSTPONED = 5;

export class Outbox {
  #timers;
  #transmit;
  #onSilence;
  #entries = new Map();

  /**
   * `transmit(text, action)` sends, or returns false while it cannot.
   * `onSilence(sinceMs)` hears before each re-send since when (local ms) the entry is unanswered.
   */
  constructor({ timers, transmit, onSilence }) {
    this.#timers = timers;
    this.#transmit = transmit;
    this.#onSilence = onSilence;
  }

  /** Sends `action` (it has its id) until it is answered; the promise is its answer, or null. */
  put(action) {
    return new Promise((resolve) => {
      const text = JSON.stringify(action);
      const entry = { action, text, resolve, tries: 0, postponed: 0, sentAt: null };
      this.#entries.set(action.id, entry);
      this.#send(entry);
    });
  }

  /** The answer has come: the action that it answers, or undefined when that was done with. */
  answer(id, message) {
    return this.#remove(id, message)?.action;
  }

  /** Nobody wants the answer any more. */
  drop(id) {
    this.#remove(id, null);
  }

  /**
   * The server was too busy: not an answer yet, the same action again in a moment. Says false
   * when that has been tried often enough.
   */
  postpone(id) {
    const entry = this.#entries.get(id);
    if (!entry || entry.postponed >= MOST_POSTPONED) return false;
    entry.postponed += 1;
    this.#arm(entry, BUSY_WAIT_MS);
    return true;
  }

  has(id) {
    return this.#entries.has(id);
  }

  /** There is a new socket: nothing was sent over it yet. */
  renew() {
    for (const entry of this.#entries.values()) {
      this.#timers.clearTimeout(entry.timer);
      entry.tries = 0;
      entry.sentAt = null;
    }
  }

  /** Everything that was not sent over this socket goes out at once, in its order. */
  flush() {
    for (const entry of this.#entries.values()) if (entry.sentAt === null) this.#send(entry);
  }

  /** Gives up on everything. */
  clear() {
    for (const id of [...this.#entries.keys()]) this.drop(id);
  }

  #send(entry) {
    if (!this.#transmit(entry.text, entry.action)) return;
    entry.sentAt ??= this.#timers.now();
    this.#arm(entry, Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** entry.tries));
    entry.tries += 1;
  }

  #arm(entry, delayMs) {
    this.#timers.clearTimeout(entry.timer);
    entry.timer = this.#timers.setTimeout(() => this.#again(entry), delayMs);
  }

  #again(entry) {
    if (entry.sentAt !== null) this.#onSilence(entry.sentAt);
    this.#send(entry);
  }

  #remove(id, message) {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    this.#timers.clearTimeout(entry.timer);
    this.#entries.delete(id);
    entry.resolve(message);
    return entry;
  }
}
