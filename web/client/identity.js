/**
 * Who this player is between visits (the token, where storage keeps it), and the ids of what he
 * intends. A browser may forbid storage: then the token lives as long as the page.
 */

const ID_BYTES = 12;

export class Identity {
  #storage;
  #key;
  token = null;
  /** Whether the token will be there after a reload. */
  isKept = true;

  /** Without `storage` it is the browser's own, where there is one. */
  constructor(storage, key) {
    this.#storage = storage;
    this.#key = key;
    this.token = this.#attempt(() => this.#store().getItem(this.#key)) ?? null;
  }

  keep(token) {
    if (token === this.token) return;
    this.token = token;
    this.#attempt(() => this.#store().setItem(this.#key, token));
  }

  /** Even naming it throws where it is forbidden. */
  #store() {
    return this.#storage ?? globalThis.localStorage;
  }

  /** Storage throws where cookies are blocked or the disk is full; play goes on without it. */
  #attempt(use) {
    try {
      return use();
    } catch {
      this.isKept = false;
      return null;
    }
  }
}

/** 96 random bits as 16 letters of URL-safe base64. */
export function actionId(fillRandom) {
  const bytes = fillRandom(new Uint8Array(ID_BYTES));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}
