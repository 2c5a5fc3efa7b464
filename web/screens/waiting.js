/** One's own table, waiting for the other player: its code, its link, and ways to pass them on. */

import { describe } from "../clockface.js";

const COPIED_MS = 2_000;

export class WaitingScreen {
  title = null;
  #client;
  #say;
  #code = "";

  constructor(root, client, say) {
    this.root = root;
    this.#client = client;
    this.#say = say;
    const share = root.querySelector("#share");
    share.hidden = !navigator.share;
    share.addEventListener("click", () => this.#share());
    root.querySelector("#copy").addEventListener("click", (event) => this.#copy(event.target));
    root.querySelector("#waiting-link").addEventListener("focus", (event) => event.target.select());
    root.querySelector("#close-table").addEventListener("click", () => client.leaveTable());
  }

  show(view) {
    this.#code = view.code ?? "";
    this.root.querySelector("#waiting-code").textContent = this.#code;
    this.root.querySelector("#waiting-link").value = this.#link();
    const { title, detail } = describe(controlOf(view), this.#say);
    const side = this.#say(`side.${view.you}`);
    this.root.querySelector("#waiting-time").textContent = `${side} · ${title} · ${detail}`;
  }

  #link() {
    return `${location.origin}${location.pathname}#${this.#code}`;
  }

  /** Without the clipboard (an insecure page, an old browser) the link is selected instead. */
  async #copy(button) {
    const input = this.root.querySelector("#waiting-link");
    input.select();
    if (!navigator.clipboard) return;
    await navigator.clipboard.writeText(this.#link());
    button.textContent = this.#say("waiting.copied");
    setTimeout(() => {
      button.textContent = this.#say("waiting.copy");
    }, COPIED_MS);
  }

  async #share() {
    const text = this.#say("waiting.share_text", { code: this.#code });
    try {
      await navigator.share({ title: "Tabiya", text, url: this.#link() });
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }
}

/** Limits that are not there are null. */
function controlOf({ timeControl }) {
  const { totalMs = null, perMoveMs = null, incrementMs = 0 } = timeControl;
  return { totalMs, perMoveMs, incrementMs };
}
