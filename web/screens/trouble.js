/** The banner about the connection: silent while all is well, or comes well in a moment. */

const PATIENCE_MS = 1_500;
const TICK_MS = 500;

export class Trouble {
  #root;
  #client;
  #say;
  #text;
  #button;
  #since = null;

  constructor(root, client, say) {
    this.#root = root;
    this.#client = client;
    this.#say = say;
    this.#text = root.querySelector("#trouble-text");
    this.#button = root.querySelector("#trouble-retry");
    this.#button.addEventListener("click", () => this.#retry());
    client.addEventListener("connection", () => this.#look());
    client.addEventListener("outdated", () => this.#look());
    setInterval(() => this.#look(), TICK_MS);
  }

  #look() {
    const { state, retryAt } = this.#client.connection;
    if (state === "open") {
      this.#since = null;
      this.#root.hidden = true;
      return;
    }
    this.#since ??= Date.now();
    const isShort = state !== "stopped" && Date.now() - this.#since < PATIENCE_MS;
    this.#root.hidden = isShort;
    this.#root.classList.toggle("grave", state !== "connecting");
    this.#write(...this.#words(state, retryAt));
  }

  /** Only on change: a screen reader reads every writing anew. */
  #write(text, button) {
    if (this.#text.textContent !== text) this.#text.textContent = text;
    this.#button.hidden = button === null;
    if (button && this.#button.textContent !== button) this.#button.textContent = button;
  }

  #words(state, retryAt) {
    const say = this.#say;
    if (this.#client.stopped === "replaced") return [say("link.replaced"), say("link.here")];
    if (this.#client.stopped === "outdated") return [say("link.outdated"), say("link.reload")];
    if (state === "connecting") return [say("link.connecting"), null];
    const n = Math.ceil(((retryAt ?? 0) - Date.now()) / 1000);
    return [n > 0 ? say("link.waiting", { n }) : say("link.lost"), say("link.retry")];
  }

  #retry() {
    if (this.#client.stopped === "outdated") location.reload();
    else if (this.#client.stopped) this.#client.connect();
    else this.#client.wake();
  }
}
