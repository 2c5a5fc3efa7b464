/** A client in a world of its own: sockets, storage, time and chance are in the test's hands. */

import { TabiyaClient } from "../../../web/tabiya-client.js";
import { FakeTimers } from "./timers.mjs";

export const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

export class World {
  timers = new FakeTimers();
  sockets = [];
  storage;
  client;
  /** Names of the client's events, in order. */
  told = [];
  #bytes = 0;

  constructor({ stored = {}, random = () => 1, ...options } = {}) {
    this.storage = new FakeStorage(stored);
    const { sockets } = this;
    class Socket extends FakeSocket {
      constructor(address, protocols) {
        super(address, protocols);
        sockets.push(this);
      }
    }
    this.client = new TabiyaClient({
      url: "ws://server/live",
      storage: this.storage,
      WebSocket: Socket,
      timers: this.timers,
      random,
      fillRandom: (bytes) => this.#fill(bytes),
      ...options,
    });
    for (const name of ["view", "refused", "connection", "hello", "outdated"]) {
      this.client.addEventListener(name, ({ detail }) => this.told.push({ name, detail }));
    }
  }

  /** The newest socket. */
  get socket() {
    return this.sockets.at(-1);
  }

  /** The client connected and greeted; `view` is the table that it comes back to. */
  static greeted({ view, ...options } = {}) {
    const world = new World(options);
    world.client.connect();
    world.socket.open();
    world.greet(view);
    return world;
  }

  /** Answers the last `hello`. */
  greet(view) {
    const { id } = this.socket.said("hello").at(-1);
    this.hear({ event: "hello", re: id, player: "me", token: "token-1", now: this.timers.now(), view });
  }

  hear(message) {
    this.socket.onmessage({ data: JSON.stringify(message) });
  }

  /** From now on the server answers every `sync`, after 50 ms, that nothing has changed. */
  answerSyncs() {
    const { socket, timers } = this;
    socket.onSent = ({ action, id, table, v }) => {
      if (action !== "sync") return;
      timers.setTimeout(() => {
        this.hear({ event: "unchanged", re: id, table, v, now: timers.now() - 50 });
      }, 50);
    };
  }

  /** Each id is another one, and predictable. */
  #fill(bytes) {
    this.#bytes += 1;
    bytes[bytes.length - 1] = this.#bytes;
    return bytes;
  }
}

class FakeSocket {
  sent = [];
  isClosed = false;

  constructor(address, protocols) {
    this.address = address;
    this.protocols = protocols;
  }

  open() {
    this.onopen();
  }

  send(text) {
    this.sent.push(JSON.parse(text));
    this.onSent?.(this.sent.at(-1));
  }

  close() {
    this.isClosed = true;
  }

  /** The network drops it. */
  lose() {
    this.onclose({ code: 1006 });
  }

  /** What was sent with this action's name. */
  said(action) {
    return this.sent.filter((message) => message.action === action);
  }
}

class FakeStorage {
  constructor(items) {
    this.items = items;
  }

  getItem(key) {
    return this.items[key] ?? null;
  }

  setItem(key, value) {
    this.items[key] = value;
  }
}

/** A live table, White to move, seen by White unless told otherwise. */
export function aView(changes = {}) {
  return {
    table: "TTTTTTTTTTTTTTTT",
    v: 2,
    game: 1,
    ruleset: "standard",
    status: "live",
    timeControl: { totalMs: 900_000, perMoveMs: 60_000, incrementMs: 0 },
    seats: { white: { taken: true }, black: { taken: true } },
    ply: 0,
    fen: START,
    moves: [],
    legal: ["e2e4"],
    clock: { white: 900_000, black: 900_000, turnAt: 1_000, flagAt: 61_000, runs: "white" },
    you: "white",
    now: 1_000,
    ...changes,
  };
}

/** The move `uci` at `ply` of that table, told as `v`. */
export function aMove({ v, ply, uci, ...changes }) {
  return {
    event: "moved",
    table: "TTTTTTTTTTTTTTTT",
    v,
    game: 1,
    ply,
    by: ply % 2 ? "black" : "white",
    uci,
    san: uci,
    fen: `after ${uci}`,
    clock: { white: 900_000, black: 900_000, turnAt: 2_000, flagAt: 62_000, runs: ply % 2 ? "white" : "black" },
    now: 2_000,
    ...changes,
  };
}
