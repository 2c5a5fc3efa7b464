/**
 * What a client does by itself as time passes: asks where a silent table stands, keeps the socket
 * of an idle player, and claims the opponent's fallen flag. Knows instants, not sockets.
 */

import { claimAt } from "./clocks.js";

const PING_MS = 480_000;
/** How long a table may be silent before one asks; where nothing can happen one only pings. */
const SYNC_MS = 20_000;
/** How long after the end a rematch is still likely to be spoken of. */
const AFTERWARDS_MS = 300_000;
const IN_PLAY = new Set(["waiting", "seated", "live"]);
const AWAKE_MS = 5_000;
const LONGEST_TIMER_MS = 2_000_000_000;

export class Watch {
  #options;
  #beatTimer;
  #claimTimer;
  #claimed = null;
  #newsAt = 0;
  #head = null;
  #headAt = 0;

  /** `view()` and `serverNow()` are asked; `onSync()`, `onPing()` and `onClaim()` are to be done. */
  constructor(options) {
    this.#options = options;
  }

  /**
   * A message came. Where something may happen only what carried this table's `v`, and no older
   * one than is shown, is news; elsewhere, anything.
   */
  listen(message) {
    const { timers, view } = this.#options;
    const head = view();
    const { table, v } = message.view ?? message;
    const isNews = head !== null && table === head.table && v >= head.v;
    if (isNews) this.#newsAt = timers.now();
    if (isNews || !this.#mayChange()) this.#beatLater();
  }

  /** Timers may have slept: ask now, unless there was news a moment ago. */
  wake() {
    const isQuiet = this.#options.timers.now() - this.#newsAt > AWAKE_MS;
    if (isQuiet && this.#mayChange()) this.#options.onSync();
  }

  /** Whether anybody is there: the answer, or its absence, tells. */
  ask() {
    if (this.#mayChange()) this.#options.onSync();
    else this.#options.onPing();
  }

  /** There is a new view: whose flag may fall, and when is that worth a claim? */
  look() {
    const { timers, view } = this.#options;
    const shown = view();
    const head = shown && `${shown.table} ${shown.v}`;
    if (head !== this.#head) this.#headAt = timers.now();
    this.#head = head;
    this.#claimFrom(shown && claimAt(shown));
  }

  /** The claim came too early; the server says from when on it will not. */
  claimAgain(at) {
    this.#claimed = null;
    this.#claimFrom(at);
  }

  stop() {
    this.#options.timers.clearTimeout(this.#beatTimer);
    this.#options.timers.clearTimeout(this.#claimTimer);
  }

  /** Whether something may happen here without this player's doing: after the end, a rematch. */
  #mayChange() {
    const { timers, view } = this.#options;
    const shown = view();
    if (shown === null) return false;
    const isFresh = timers.now() - this.#headAt < AFTERWARDS_MS;
    return IN_PLAY.has(shown.status) || shown.rematchOffer !== undefined || isFresh;
  }

  #beatLater() {
    const { timers } = this.#options;
    timers.clearTimeout(this.#beatTimer);
    const wait = this.#mayChange() ? SYNC_MS : PING_MS;
    this.#beatTimer = timers.setTimeout(() => this.#beat(), wait);
  }

  #beat() {
    this.#beatLater();
    this.ask();
  }

  #claimFrom(at) {
    const { timers, serverNow } = this.#options;
    timers.clearTimeout(this.#claimTimer);
    if (at === null) return;
    const wait = Math.min(LONGEST_TIMER_MS, Math.max(0, at - serverNow()));
    this.#claimTimer = timers.setTimeout(() => this.#claim(), wait);
  }

  /** Once per ply, unless the server names a later instant. */
  #claim() {
    const view = this.#options.view();
    if (view === null || claimAt(view) === null) return;
    const turn = `${view.table} ${view.game} ${view.ply}`;
    if (this.#claimed === turn) return;
    this.#claimed = turn;
    this.#options.onClaim();
  }
}
