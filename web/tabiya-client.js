/**
 * A client of Tabiya: one player, one socket, one table. There is no page in it; it runs in
 * browsers and under Node, with socket, storage, timers and randomness handed in where wanted.
 *
 *     const client = new TabiyaClient({ url: "wss://example.org/live", language: "nl" });
 *     client.addEventListener("view", () => draw(client.view));
 *     client.connect();
 *     const answer = await client.createTable({ colour: "white" });
 *
 * It keeps the player's token, re-sends what is not answered, re-syncs what it missed, answers
 * probes, claims fallen flags, and comes back when the socket drops. Every action returns a
 * promise of its answer; a refusal is an answer (`event: "refused"`), not an exception. A promise
 * gives null when the client was closed before the answer came.
 *
 * Events: `view` (the table changed; detail: the message that did it, or null), `refused`
 * (detail: the message), `connection` (`client.connection` changed), `hello` (identity is known),
 * `outdated` (detail: parameters of the refusal).
 */

import { ABSENCE_MS, backBefore } from "./client/absence.js";
import { clocksAt } from "./client/clocks.js";
import { Session } from "./client/session.js";
import { TableKeeper } from "./client/table.js";
import { Watch } from "./client/watch.js";

export class TabiyaClient extends EventTarget {
  #session;
  #keeper;
  #watch;
  #absenceMs;
  #syncId = null;
  #viewAtOpening = null;
  player = null;
  /** Why there will be no new socket: null, `closed`, `replaced` or `outdated`. */
  stopped = null;

  constructor({
    url,
    version = "1.0.0",
    platform = "web",
    language = "en",
    absenceMs = ABSENCE_MS,
    storage = undefined,
    storageKey = "tabiya.token",
    WebSocket = globalThis.WebSocket,
    timers = localTimers(),
    random = Math.random,
    fillRandom = (bytes) => globalThis.crypto.getRandomValues(bytes),
  }) {
    super();
    this.#absenceMs = absenceMs;
    const query = new URLSearchParams({ v: version, platform, lang: language });
    this.#session = new Session({
      address: `${url}?${query}`,
      storage,
      storageKey,
      WebSocket,
      timers,
      random,
      fillRandom,
      onOpen: () => this.#opened(),
      onMessage: (message, answered) => this.#obey(message, answered),
      onState: () => this.#tell("connection"),
    });
    this.#keeper = new TableKeeper({
      timers,
      onView: (message) => this.#seen(message),
      onMissing: () => this.#sync(),
    });
    this.#watch = new Watch({
      timers,
      view: () => this.view,
      serverNow: () => this.serverNow(),
      onSync: () => this.#sync(),
      onPing: () => this.#session.say("ping"),
      onClaim: () => this.#act("claimFlag"),
    });
  }

  // ---- being there

  connect() {
    this.stopped = null;
    this.#session.open();
  }

  close() {
    this.#stop("closed");
    this.#session.forget();
  }

  /** The page came to the front, or the network back: do not wait for the next timer. */
  wake() {
    if (this.stopped) return;
    if (this.connection.state === "waiting") this.#session.open();
    else this.#watch.wake();
  }

  /** The network is said to be gone: a socket that only seems open is found out in seconds. */
  doubt() {
    if (this.connection.state === "open") this.#watch.ask();
  }

  /** The table as this player may see it, or null. Never changed in place. */
  get view() {
    return this.#keeper.view;
  }

  /**
   * `{state, retryAt}`: idle, connecting, open, waiting (until `retryAt`, local epoch ms), or
   * stopped (`stopped` says why).
   */
  get connection() {
    return this.#session.connection;
  }

  /** Whether this player will be known after a reload. */
  get keepsIdentity() {
    return this.#session.identity.isKept;
  }

  /** Whether this player has been here before, as far as this browser knows. */
  get isKnown() {
    return this.#session.identity.token !== null;
  }

  /**
   * Before which instant (server's time) this player must be heard of, to be sure to play on:
   * then his seat may be given up, or his flag falls. Null where neither happens.
   */
  get backBefore() {
    return backBefore(this.view, this.#session.presentAt, this.#absenceMs);
  }

  serverNow() {
    return this.#session.now();
  }

  /** What both clocks show now; null without a table. */
  clocks() {
    return this.view && clocksAt(this.view, this.serverNow());
  }

  // ---- what a player may do

  /** `timeControl`: `{totalMs, perMoveMs, incrementMs}`, a limit that is not there null. */
  createTable({ timeControl, colour = "random" } = {}) {
    return this.#session.say("createTable", { colour, ...(timeControl && { timeControl }) });
  }

  joinTable(code) {
    return this.#session.say("joinTable", { code });
  }

  leaveTable() {
    return this.#act("leaveTable");
  }

  move(uci) {
    return this.#act("move", { uci });
  }

  resign() {
    return this.#act("resign");
  }

  abort() {
    return this.#act("abort");
  }

  offerDraw() {
    return this.#act("offerDraw");
  }

  acceptDraw() {
    return this.#act("acceptDraw", { v: this.view.drawOffer.v });
  }

  declineDraw() {
    return this.#act("declineDraw", { v: this.view.drawOffer.v });
  }

  offerRematch() {
    return this.#act("offerRematch");
  }

  acceptRematch() {
    return this.#act("acceptRematch", { v: this.view.rematchOffer.v });
  }

  /** Also takes back one's own offer. */
  declineRematch() {
    return this.#act("declineRematch", { v: this.view.rematchOffer.v });
  }

  #act(action, fields = {}) {
    const { table, game, ply } = this.view;
    return this.#session.say(action, { table, game, ply, ...fields });
  }

  /** Asks where the table stands; a question that was asked before is asked no more. */
  #sync(table = this.view?.table) {
    if (!table) return;
    this.#session.drop(this.#syncId);
    this.#syncId = this.#session.newId();
    const v = this.view?.table === table ? this.view.v : 0;
    this.#session.say("sync", { table, v }, this.#syncId);
  }

  // ---- hearing

  /** On a new socket `hello` brings the table: nothing else need be asked. */
  #opened() {
    this.#viewAtOpening = this.view;
    this.#session.drop(this.#syncId);
  }

  #obey(message, answered) {
    switch (message.event) {
      case "hello":
        this.#welcome(message);
        break;
      case "probe":
        this.#sync(message.table);
        break;
      case "replaced":
        this.#stop("replaced");
        break;
      case "refused":
        this.#refuse(message, answered);
        break;
      default:
        this.#keeper.take(message, answered);
    }
    if (!this.stopped) this.#watch.listen(message);
  }

  /** No table in the answer: there is none, unless one was made since the question. */
  #welcome(message) {
    this.player = message.player;
    if (message.view) this.#keeper.take(message, "hello");
    else if (this.view === this.#viewAtOpening) this.#keeper.hold(null, message);
    this.#tell("hello");
  }

  #refuse(message, answered) {
    const { code, parameters = {} } = message;
    if (message.table) this.#keeper.take(message, answered);
    if (code === "appOutdated") this.#outdate(parameters);
    if (code === "seatHeld" && parameters.table !== this.view?.table) this.#session.sayHello();
    if (code === "tableNotFound" && answered === "sync") this.#keeper.hold(null, message);
    if (code === "tooEarly" && parameters.dueAt) this.#watch.claimAgain(parameters.dueAt);
    const isOwnBusiness = answered === "claimFlag" || answered === "sync";
    if (!isOwnBusiness) this.#tell("refused", message);
  }

  /** A live game may be finished with an outdated client; otherwise there is nothing to do here. */
  #outdate(parameters) {
    if (this.view?.status !== "live") this.#stop("outdated");
    this.#tell("outdated", parameters);
  }

  #seen(message) {
    this.#watch.look();
    this.#tell("view", message);
  }

  #stop(reason) {
    this.stopped = reason;
    this.#keeper.stop();
    this.#watch.stop();
    this.#session.stop();
  }

  #tell(name, detail = null) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/** Called as functions, not as methods: browsers refuse a `setTimeout` whose `this` is not theirs. */
function localTimers() {
  return {
    now: () => Date.now(),
    setTimeout: (run, ms) => globalThis.setTimeout(run, ms),
    clearTimeout: (timer) => globalThis.clearTimeout(timer),
  };
}
