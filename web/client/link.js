/**
 * One socket that comes back: opens it, and opens it again, later and later, when it drops.
 * Knows nothing of what is said over it.
 */

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;
const HANDSHAKE_MS = 10_000;

export class Link {
  #options;
  #socket = null;
  #timer;
  #failures = 0;
  /** idle, connecting, open, waiting (until `retryAt`, local ms) or stopped. */
  state = "idle";
  retryAt = null;

  /**
   * `address()` and `protocols()` are asked for each new socket; `onOpen()`, `onText(text)` and
   * `onState()` hear what happens.
   */
  constructor(options) {
    this.#options = options;
  }

  /** Opens a socket now, unless one is open or being opened. */
  open() {
    if (this.state === "connecting" || this.state === "open") return;
    this.#options.timers.clearTimeout(this.#timer);
    this.#become("connecting");
    const { WebSocket, address, protocols, timers } = this.#options;
    const socket = new WebSocket(address(), protocols());
    this.#socket = socket;
    this.#timer = timers.setTimeout(() => this.drop(), HANDSHAKE_MS);
    socket.onopen = () => this.#opened();
    socket.onmessage = (event) => this.#options.onText(event.data);
    socket.onclose = () => this.#lost();
  }

  /** Sends, if there is an open socket; says whether there was. */
  send(text) {
    if (this.state !== "open") return false;
    this.#socket.send(text);
    return true;
  }

  /** The other side has shown that it is there: the next loss is the first one again. */
  settle() {
    this.#failures = 0;
  }

  /** This socket is no good any more, whatever it says itself: away with it, and a new one. */
  drop() {
    this.#abandon();
    this.#lost();
  }

  /** No socket, and none to come until `open`. */
  stop() {
    this.#options.timers.clearTimeout(this.#timer);
    this.#abandon();
    this.#become("stopped");
  }

  #opened() {
    this.#options.timers.clearTimeout(this.#timer);
    this.#become("open");
    this.#options.onOpen();
  }

  #lost() {
    this.#abandon();
    const { timers, random } = this.#options;
    timers.clearTimeout(this.#timer);
    const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures);
    const wait = delay * (0.5 + random() / 2);
    this.#failures += 1;
    this.#timer = timers.setTimeout(() => this.open(), wait);
    this.#become("waiting", timers.now() + wait);
  }

  /** A dead network may take minutes to report the end: it is not waited for. */
  #abandon() {
    const socket = this.#socket;
    if (!socket) return;
    this.#socket = null;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #become(state, retryAt = null) {
    this.state = state;
    this.retryAt = retryAt;
    this.#options.onState();
  }
}
