/**
 * The banner about the connection: silent while all is well, or comes well in a moment. Who is in
 * a game sees how long his seat is kept.
 */

import { countdown } from "../clockface.js";
import { announce, showToast } from "./toast.js";

const PATIENCE_MS = 1_500;
const TICK_MS = 250;

export class Trouble {
  #root;
  #client;
  #say;
  #parts;
  #since = null;
  #isReturn = false;

  constructor(root, client, say) {
    this.#root = root;
    this.#client = client;
    this.#say = say;
    this.#parts = {
      text: root.querySelector("#trouble-text"),
      count: root.querySelector("#trouble-count"),
      button: root.querySelector("#trouble-retry"),
    };
    this.#parts.button.addEventListener("click", () => this.#retry());
    client.addEventListener("connection", () => this.#look());
    client.addEventListener("outdated", () => this.#look());
    setInterval(() => this.#look(), TICK_MS);
  }

  #look() {
    const { state } = this.#client.connection;
    document.body.dataset.link = state;
    if (state === "open") {
      this.#since = null;
      this.#end();
      return;
    }
    this.#since ??= Date.now();
    const isShort = state !== "stopped" && Date.now() - this.#since < PATIENCE_MS;
    if (isShort) return;
    this.#write(this.#words());
    this.#root.classList.toggle("grave", state !== "connecting" || this.#left() !== null);
    this.#begin();
  }

  /** Said once; what counts down is there to be seen, not to be heard each second. */
  #begin() {
    if (!this.#root.hidden) return;
    this.#root.hidden = false;
    this.#isReturn = this.#client.player !== null;
    const n = Math.ceil(this.#left() / 1000);
    const kept = n > 0 ? this.#say("link.kept_aloud", { n }) : "";
    announce(`${this.#parts.text.textContent} ${kept}`.trim());
  }

  #end() {
    if (this.#root.hidden) return;
    this.#root.hidden = true;
    if (this.#isReturn && this.#root.classList.contains("grave")) showToast(this.#say("link.restored"));
  }

  #write([text, count, button]) {
    write(this.#parts.text, text);
    write(this.#parts.count, count);
    this.#parts.button.hidden = button === null;
    if (button) write(this.#parts.button, button);
  }

  #words() {
    const say = this.#say;
    const { state } = this.#client.connection;
    if (this.#client.stopped === "replaced") return [say("link.replaced"), "", say("link.here")];
    if (this.#client.stopped === "outdated") return [say("link.outdated"), "", say("link.reload")];
    if (state === "connecting" && this.#left() === null) return [say("link.connecting"), "", null];
    const text = say(navigator.onLine ? "link.lost" : "link.offline");
    return [text, this.#waiting(), say("link.retry")];
  }

  /** In a game it matters how long one may still come back, elsewhere when the next try is. */
  #waiting() {
    const left = this.#left();
    if (left !== null) return this.#say(left > 0 ? "link.kept" : "link.late", { time: countdown(left) });
    const n = Math.ceil(((this.#client.connection.retryAt ?? 0) - Date.now()) / 1000);
    return n > 0 ? this.#say("link.waiting", { n }) : this.#say("link.again");
  }

  /** How long (ms) a game waits for this player; null: none does, or he plays elsewhere. */
  #left() {
    const { backBefore, stopped } = this.#client;
    return stopped || backBefore === null ? null : backBefore - this.#client.serverNow();
  }

  #retry() {
    if (this.#client.stopped === "outdated") location.reload();
    else if (this.#client.stopped) this.#client.connect();
    else this.#client.wake();
  }
}

/** Only on change: a screen reader reads every writing anew. */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
