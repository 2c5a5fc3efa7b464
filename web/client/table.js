/**
 * The table one sits at, kept up to date: takes messages in their order, holds back what came too
 * early, and asks when something stays missing. Knows nothing of sockets.
 */

import { follow } from "./head.js";

const GAP_MS = 500;

export class TableKeeper {
  #timers;
  #onView;
  #onMissing;
  #ahead = new Map();
  #gapTimer;
  /** The table as this player may see it, or null. Never changed in place. */
  view = null;

  /** `onView(message)` hears of every new view; `onMissing()` is to ask for the whole. */
  constructor({ timers, onView, onMissing }) {
    this.#timers = timers;
    this.#onView = onView;
    this.#onMissing = onMissing;
  }

  /** A message about a table; `answered` is the name of the own action it answers, if any. */
  take(message, answered) {
    const { verdict, view } = follow(this.view, message, answered);
    if (verdict === "taken") this.hold(view, message);
    else if (verdict === "gap") this.#holdBack(message);
  }

  /** `view` is the truth, whatever was known before. */
  hold(view, message) {
    this.view = view;
    this.#onView(message);
    this.#catchUp();
  }

  /** Waits for nothing any more. */
  stop() {
    this.#timers.clearTimeout(this.#gapTimer);
    this.#gapTimer = undefined;
    this.#ahead.clear();
  }

  #holdBack(message) {
    this.#ahead.set(message.v, message);
    this.#gapTimer ??= this.#timers.setTimeout(() => {
      this.#gapTimer = undefined;
      this.#onMissing();
    }, GAP_MS);
  }

  /** What was held back is taken when it follows, and forgotten when it is passed. */
  #catchUp() {
    for (const [v, message] of [...this.#ahead].sort(([a], [b]) => a - b)) {
      const isPassed = message.table !== this.view?.table || v <= this.view.v;
      if (!isPassed && v > this.view.v + 1) return;
      this.#ahead.delete(v);
      if (!isPassed) {
        this.take(message);
        return;
      }
    }
    this.stop();
  }
}
