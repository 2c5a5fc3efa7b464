/**
 * A conversation with the server that survives its sockets: who one is, what was said and not yet
 * answered, what time it is there. Knows nothing of tables.
 */

import { actionId, Identity } from "./identity.js";
import { Link } from "./link.js";
import { Outbox } from "./outbox.js";
import { ServerTime } from "./servertime.js";

const SUBPROTOCOL = "tabiya.v1";
/** An open socket over which nothing came for so long, though something was asked, is dead. */
const DEAD_MS = 8_000;

export class Session {
  #options;
  #identity;
  #time;
  #link;
  #outbox;
  #helloId = null;
  #isWelcome = false;
  #heardAt = 0;
  #presentAt = null;

  /**
   * `address`, `storage`, `storageKey`, `WebSocket`, `timers`, `random` and `fillRandom`; and who
   * hears: `onOpen()` of a new socket, `onMessage(message, answered)` with the name of the own
   * action that it answers, `onState()` of a change of `connection`.
   */
  constructor(options) {
    this.#options = options;
    const { timers, WebSocket, random, address } = options;
    this.#identity = new Identity(options.storage, options.storageKey);
    this.#time = new ServerTime(timers.now);
    this.#link = new Link({
      WebSocket,
      timers,
      random,
      address: () => address,
      protocols: () => [SUBPROTOCOL, this.#identity.token].filter(Boolean),
      onOpen: () => this.#greet(),
      onText: (text) => this.#hear(text),
      onState: () => options.onState(),
    });
    this.#outbox = new Outbox({
      timers,
      transmit: (text, action) => this.#maySend(action) && this.#link.send(text),
      onSilence: (sentAt) => this.#suspect(sentAt),
    });
  }

  get identity() {
    return this.#identity;
  }

  /** `{state, retryAt}`: `open` once the server has answered; `retryAt` in local epoch ms. */
  get connection() {
    const isGreeting = this.#link.state === "open" && !this.#isWelcome;
    return { state: isGreeting ? "connecting" : this.#link.state, retryAt: this.#link.retryAt };
  }

  /** When the server last showed that it has this connection (its own time); null: never. */
  get presentAt() {
    return this.#presentAt && this.#time.at(this.#presentAt);
  }

  now() {
    return this.#time.now();
  }

  open() {
    this.#link.open();
  }

  /** No socket any more; what is unanswered waits for the next `open`, or for `forget`. */
  stop() {
    this.#link.stop();
  }

  forget() {
    this.#outbox.clear();
  }

  /** A promise of the answer; null when nobody waits for it any more. */
  say(action, fields = {}, id = this.newId()) {
    return this.#outbox.put({ action, id, ...fields });
  }

  newId() {
    return actionId(this.#options.fillRandom);
  }

  /** What was said under this id is no longer asked; null: nothing was. */
  drop(id) {
    if (id !== null) this.#outbox.drop(id);
  }

  sayHello() {
    this.drop(this.#helloId);
    this.#helloId = this.newId();
    this.say("hello", {}, this.#helloId);
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
    this.#heardAt = this.#options.timers.now();
    this.#outbox.renew();
    this.#options.onOpen();
    this.sayHello();
    this.#outbox.flush();
  }

  /** Something is re-sent: if nothing at all came in since, the socket is dead and does not say. */
  #suspect(sentAt) {
    const now = this.#options.timers.now();
    const isSilent = this.#heardAt <= sentAt && now - sentAt >= DEAD_MS;
    if (isSilent && this.#link.state === "open") this.#link.drop();
  }

  /** Frames without `event` are the gateway's own ("Internal server error"): never an answer. */
  #hear(text) {
    this.#heardAt = this.#options.timers.now();
    const message = JSON.parse(text);
    if (typeof message.event !== "string") return;
    const serverNow = message.now ?? message.view?.now;
    if (serverNow !== undefined) this.#time.hear(serverNow);
    if (message.event === "refused" && this.#isNoAnswer(message)) return;
    const answered = message.re && this.#outbox.answer(message.re, message)?.action;
    if (message.event === "hello") this.#welcome(message);
    if (this.#isWelcome) this.#presentAt = this.#heardAt;
    this.#options.onMessage(message, answered);
    if (message.event === "hello") this.#outbox.flush();
  }

  #welcome(message) {
    this.#identity.keep(message.token);
    this.#isWelcome = true;
    this.#link.settle();
    this.#options.onState();
  }

  /** Refusals that only say "once more, with the same id": they are dealt with, not told. */
  #isNoAnswer({ code, re }) {
    if (code === "busy") return this.#outbox.postpone(re);
    if (code !== "connectionLost" || !this.#outbox.has(re)) return false;
    this.#link.drop();
    return true;
  }
}
