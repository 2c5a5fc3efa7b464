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
 * `replaced`, `outdated` (detail: parameters).
 */

import { claimAt, clocksAt } from "./client/clocks.js";
import { follow } from "./client/head.js";
import { actionId, Identity } from "./client/identity.js";
import { Link } from "./client/link.js";
import { Outbox } from "./client/outbox.js";
import { ServerTime } from "./client/servertime.js";

const SUBPROTOCOL = "tabiya.v1";
const GAP_MS = 500;
const PING_MS = 480_000;
/** How long a table may be silent before one asks, by its status; the others only ping. */
const SYNC_MS = { waiting: 30_000, seated: 20_000, live: 20_000 };
/** An open socket over which nothing came for so long, though something was asked, is dead. */
const DEAD_MS = 8_000;
const AWAKE_MS = 5_000;
const LONGEST_TIMER_MS = 2_000_000_000;

export class TabiyaClient extends EventTarget {
  #url;
  #query;
  #timers;
  #fillRandom;
  #identity;
  #time;
  #link;
  #outbox;
  #isWelcome = false;
  #helloId = null;
  #viewAtHello = null;
  #syncId = null;
  #ahead = new Map();
  #gapTimer;
  #beatTimer;
  #claimTimer;
  #claimed = null;
  #heardAt = 0;
  #headHeardAt = 0;
  /** The table as this player may see it, or null. Never changed in place. */
  view = null;
  player = null;
  /** Why there will be no new socket: null, `closed`, `replaced` or `outdated`. */
  stopped = null;

  constructor({
    url,
    version = "1.0.0",
    platform = "web",
    language = "en",
    storage = undefined,
    storageKey = "tabiya.token",
    WebSocket = globalThis.WebSocket,
    timers = localTimers(),
    random = Math.random,
    fillRandom = (bytes) => globalThis.crypto.getRandomValues(bytes),
  }) {
    super();
    this.#url = url;
    this.#query = new URLSearchParams({ v: version, platform, lang: language }).toString();
    this.#timers = timers;
    this.#fillRandom = fillRandom;
    this.#identity = new Identity(storage, storageKey);
    this.#time = new ServerTime(timers.now);
    this.#link = new Link({
      WebSocket,
      timers,
      random,
      address: () => `${this.#url}?${this.#query}`,
      protocols: () => [SUBPROTOCOL, this.#identity.token].filter(Boolean),
      onOpen: () => this.#greet(),
      onText: (text) => this.#hear(text),
      onState: () => this.#tell("connection"),
    });
    this.#outbox = new Outbox({
      timers,
      transmit: (text, action) => this.#maySend(action) && this.#link.send(text),
      onSilence: (sentAt) => this.#suspect(sentAt),
    });
  }

  // ---- being there

  connect() {
    this.stopped = null;
    this.#link.open();
  }

  close() {
    this.#stop("closed");
    this.#outbox.clear();
  }

  /** The page came to the front, or the network back: do not wait for the next timer. */
  wake() {
    if (this.stopped) return;
    if (this.#link.state === "waiting") this.#link.open();
    const isQuiet = this.#timers.now() - this.#headHeardAt > AWAKE_MS;
    if (this.#link.state === "open" && isQuiet && SYNC_MS[this.view?.status]) this.#sync();
  }

  /** `{state, retryAt}`: `open` once the server has answered; `retryAt` in local epoch ms. */
  get connection() {
    if (this.stopped) return { state: "stopped", retryAt: null };
    const isGreeting = this.#link.state === "open" && !this.#isWelcome;
    return { state: isGreeting ? "connecting" : this.#link.state, retryAt: this.#link.retryAt };
  }

  /** Whether this player will be known after a reload. */
  get keepsIdentity() {
    return this.#identity.isKept;
  }

  /** Whether this player has been here before, as far as this browser knows. */
  get isKnown() {
    return this.#identity.token !== null;
  }

  serverNow() {
    return this.#time.now();
  }

  /** What both clocks show now; null without a table. */
  clocks() {
    return this.view && clocksAt(this.view, this.serverNow());
  }

  // ---- what a player may do

  /** `timeControl`: `{totalMs, perMoveMs, incrementMs}`, a limit that is not there null. */
  createTable({ timeControl, colour = "random" } = {}) {
    return this.#say("createTable", { colour, ...(timeControl && { timeControl }) });
  }

  joinTable(code) {
    return this.#say("joinTable", { code });
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

  // ---- saying

  #say(action, fields = {}, id = actionId(this.#fillRandom)) {
    return this.#outbox.put({ action, id, ...fields });
  }

  #act(action, fields = {}) {
    const { table, game, ply } = this.view;
    return this.#say(action, { table, game, ply, ...fields });
  }

  /**
   * Until a guest's token is kept nothing but `hello` is said: a seat taken by somebody who is
   * forgotten when the socket drops would be lost.
   */
  #maySend(action) {
    return action.action === "hello" || this.#identity.token !== null;
  }

  #greet() {
    this.#isWelcome = false;
    this.#heardAt = this.#timers.now();
    this.#viewAtHello = this.view;
    this.#outbox.renew();
    for (const id of [this.#helloId, this.#syncId]) if (id) this.#outbox.drop(id);
    this.#helloId = actionId(this.#fillRandom);
    this.#say("hello", {}, this.#helloId);
    this.#outbox.flush();
  }

  /** Asks where the table stands; a question that was asked before is asked no more. */
  #sync(table = this.view?.table) {
    if (!table) return;
    if (this.#syncId) this.#outbox.drop(this.#syncId);
    this.#syncId = actionId(this.#fillRandom);
    const v = this.view?.table === table ? this.view.v : 0;
    this.#say("sync", { table, v }, this.#syncId);
  }

  #ping() {
    this.#say("ping");
  }

  /** Something is re-sent: if nothing at all came in since, the socket is dead and does not say. */
  #suspect(sentAt) {
    const now = this.#timers.now();
    const isSilent = this.#heardAt <= sentAt && now - sentAt >= DEAD_MS;
    if (isSilent && this.#link.state === "open") this.#link.drop();
  }

  // ---- hearing

  /** Frames without `event` are the gateway's own ("Internal server error"): never an answer. */
  #hear(text) {
    this.#heardAt = this.#timers.now();
    const message = JSON.parse(text);
    if (typeof message.event !== "string") return;
    const serverNow = message.now ?? message.view?.now;
    if (serverNow !== undefined) this.#time.hear(serverNow);
    if (message.event === "refused" && message.code === "busy" && this.#outbox.has(message.re)) {
      this.#outbox.postpone(message.re);
      return;
    }
    const answered = message.re && this.#outbox.answer(message.re, message)?.action;
    this.#obey(message, answered);
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
        this.#tell("replaced");
        break;
      case "refused":
        this.#refuse(message, answered);
        break;
      default:
        this.#take(message, answered);
    }
    this.#listenOn(message);
  }

  #welcome(message) {
    this.player = message.player;
    this.#identity.keep(message.token);
    this.#isWelcome = true;
    this.#link.settle();
    if (message.view) this.#take(message, "hello");
    else if (this.view === this.#viewAtHello) this.#hold(null, message);
    this.#tell("connection");
    this.#tell("hello");
    this.#outbox.flush();
  }

  #refuse(message, answered) {
    if (message.view) this.#take(message, answered);
    if (message.code === "appOutdated") this.#outdate(message);
    if (message.code === "tableNotFound" && answered === "sync") this.#hold(null, message);
    const isOwnBusiness = answered === "claimFlag" || answered === "sync";
    if (!isOwnBusiness) this.#tell("refused", message);
    if (message.code === "tooEarly" && message.parameters?.dueAt) {
      this.#claimed = null;
      this.#armClaim(message.parameters.dueAt);
    }
  }

  /** A live game may be finished with an outdated client; otherwise there is nothing to do here. */
  #outdate(message) {
    if (this.view?.status !== "live") this.#stop("outdated");
    this.#tell("outdated", message.parameters ?? {});
  }

  #take(message, answered) {
    const { verdict, view } = follow(this.view, message, answered);
    if (verdict === "taken") this.#hold(view, message);
    else if (verdict === "gap") this.#await(message);
  }

  #hold(view, message) {
    this.view = view;
    this.#tell("view", message);
    this.#armClaim(view && claimAt(view));
    this.#catchUp();
  }

  /** What came too early is taken when it follows, and forgotten when it is passed. */
  #catchUp() {
    for (const [v, message] of [...this.#ahead].sort(([a], [b]) => a - b)) {
      if (!this.view || this.view.table !== message.table || v <= this.view.v) {
        this.#ahead.delete(v);
      } else if (v === this.view.v + 1) {
        this.#ahead.delete(v);
        this.#take(message);
        return;
      }
    }
    if (this.#ahead.size === 0) {
      this.#timers.clearTimeout(this.#gapTimer);
      this.#gapTimer = undefined;
    }
  }

  #await(message) {
    this.#ahead.set(message.v, message);
    this.#gapTimer ??= this.#timers.setTimeout(() => {
      this.#gapTimer = undefined;
      this.#sync();
    }, GAP_MS);
  }

  // ---- timers

  /** In a game only what carried this table's `v` counts as news; outside, anything does. */
  #listenOn(message) {
    const period = SYNC_MS[this.view?.status];
    const v = message.v ?? message.view?.v;
    const isNews = v !== undefined && (message.table ?? message.view?.table) === this.view?.table;
    if (isNews) this.#headHeardAt = this.#timers.now();
    if (period && !isNews) return;
    this.#timers.clearTimeout(this.#beatTimer);
    this.#beatTimer = this.#timers.setTimeout(() => this.#beat(), period ?? PING_MS);
  }

  #beat() {
    if (this.#link.state !== "open") return;
    if (SYNC_MS[this.view?.status]) this.#sync();
    else this.#ping();
  }

  #armClaim(at) {
    this.#timers.clearTimeout(this.#claimTimer);
    if (at === null) return;
    const wait = Math.min(LONGEST_TIMER_MS, Math.max(0, at - this.serverNow()));
    this.#claimTimer = this.#timers.setTimeout(() => this.#claim(), wait);
  }

  /** Once per ply, unless the server names a later instant. */
  #claim() {
    const { view } = this;
    if (!view || claimAt(view) === null) return;
    const turn = `${view.table} ${view.game} ${view.ply}`;
    if (this.#claimed === turn) return;
    this.#claimed = turn;
    this.#act("claimFlag");
  }

  #stop(reason) {
    this.stopped = reason;
    for (const timer of [this.#gapTimer, this.#beatTimer, this.#claimTimer]) {
      this.#timers.clearTimeout(timer);
    }
    this.#link.stop();
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
