/** Being there: heartbeat, probes, coming back, and being who one was. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { aMove, aView, World } from "./support/world.mjs";

test("a new guest offers the sub-protocol alone, and keeps the token that hello brings", () => {
  const world = new World();
  world.client.connect();
  assert.equal(world.socket.address, "ws://server/live?v=1.0.0&platform=web&lang=en");
  assert.deepEqual(world.socket.protocols, ["tabiya.v1"]);
  world.socket.open();
  assert.deepEqual(world.socket.sent.map(({ action }) => action), ["hello"]);
  world.greet();
  assert.equal(world.storage.items["tabiya.token"], "token-1");
  assert.equal(world.client.player, "me");
});

test("who was here before shows the token, and is back at the table", () => {
  const world = World.greeted({ stored: { "tabiya.token": "token-1" }, view: aView() });
  assert.deepEqual(world.socket.protocols, ["tabiya.v1", "token-1"]);
  assert.equal(world.client.view.ply, 0);
});

test("a guest says nothing else before the token is kept", () => {
  const world = new World();
  world.client.connect();
  world.client.joinTable("ABCDEF");
  world.socket.open();
  assert.equal(world.socket.said("joinTable").length, 0);
  world.greet();
  assert.equal(world.socket.said("joinTable").length, 1);
});

test("where storage is forbidden the token lives as long as the client", () => {
  const forbidden = {
    getItem: () => { throw new Error("forbidden"); },
    setItem: () => { throw new Error("forbidden"); },
  };
  const world = World.greeted({ storage: forbidden });
  assert.equal(world.client.keepsIdentity, false);
  world.socket.lose();
  world.timers.pass(500);
  assert.deepEqual(world.socket.protocols, ["tabiya.v1", "token-1"]);
});

test("two clients with one token are two connections of one player", () => {
  const stored = { "tabiya.token": "token-1" };
  const worlds = [World.greeted({ stored, view: aView() }), World.greeted({ stored, view: aView() })];
  for (const world of worlds) world.hear(aMove({ v: 3, ply: 0, uci: "e2e4" }));
  assert.deepEqual(worlds.map(({ client }) => client.view.v), [3, 3]);
});

test("a probe is answered with sync at once", () => {
  const world = World.greeted({ view: aView() });
  world.hear({ event: "probe", table: "TTTTTTTTTTTTTTTT", v: 2 });
  const [{ table, v }] = world.socket.said("sync");
  assert.deepEqual({ table, v }, { table: "TTTTTTTTTTTTTTTT", v: 2 });
});

test("in a live game sync goes out 20 s after the last message with this table's v", () => {
  const world = World.greeted({ view: aView() });
  world.timers.pass(10_000);
  world.hear(aMove({ v: 3, ply: 0, uci: "e2e4" }));
  world.timers.pass(10_000);
  world.hear({ event: "pong", now: 21_000 });
  world.timers.pass(9_999);
  assert.equal(world.socket.said("sync").length, 0);
  world.timers.pass(1);
  assert.equal(world.socket.said("sync").length, 1);
});

test("a message that is older than what is shown does not put sync off", () => {
  const world = World.greeted({ view: aView({ v: 5, ply: 3 }) });
  world.timers.pass(19_000);
  world.hear(aMove({ v: 4, ply: 1, uci: "e7e5" }));
  world.timers.pass(1_000);
  assert.equal(world.socket.said("sync").length, 1);
});

for (const status of ["waiting", "seated", "live"]) {
  test(`who is at a table that is ${status} asks after 20 s`, () => {
    const world = World.greeted({ view: aView({ status }) });
    world.timers.pass(20_000);
    assert.equal(world.socket.said("sync").length, 1);
  });
}

const syncs = (world) => {
  const said = world.socket.said("sync");
  const { id, table } = said.at(-1);
  world.hear({ event: "unchanged", re: id, table, v: 2, now: world.timers.now() });
  return said.length;
};

test("for five minutes after the end sync goes out: a rematch may be offered unheard", () => {
  const world = World.greeted({ view: aView({ status: "over" }) });
  for (let count = 1; count <= 14; count += 1) {
    world.timers.pass(20_000);
    assert.equal(syncs(world), count);
  }
  world.timers.pass(20_000);
  assert.deepEqual([world.socket.said("sync").length, world.socket.said("ping").length], [14, 1]);
});

test("while a rematch is offered it goes out however late: it may be accepted unheard", () => {
  const world = World.greeted({ view: aView({ status: "over", rematchOffer: { by: "white", v: 2 } }) });
  for (let count = 1; count <= 20; count += 1) {
    world.timers.pass(20_000);
    assert.equal(syncs(world), count);
  }
});

test("unchanged is news: the next sync is 20 s later", () => {
  const world = World.greeted({ view: aView() });
  world.timers.pass(20_000);
  const [{ id, table }] = world.socket.said("sync");
  world.hear({ event: "unchanged", re: id, table, v: 2, now: 21_000 });
  world.timers.pass(19_999);
  assert.equal(world.socket.said("sync").length, 1);
  world.timers.pass(1);
  assert.equal(world.socket.said("sync").length, 2);
});

test("outside a game a ping every 8 minutes keeps the socket", () => {
  const world = World.greeted();
  world.timers.pass(479_999);
  assert.equal(world.socket.said("ping").length, 0);
  world.timers.pass(1);
  assert.equal(world.socket.said("ping").length, 1);
  assert.equal(world.socket.said("sync").length, 0);
});

test("a dropped socket is opened again, later and later, with jitter", () => {
  const world = World.greeted({ random: () => 0 });
  const waits = [];
  for (let time = 0; time < 9; time += 1) {
    world.socket.lose();
    waits.push(world.client.connection.retryAt - world.timers.now());
    world.timers.pass(waits.at(-1));
  }
  assert.deepEqual(waits, [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});

test("without luck the waits are twice as long", () => {
  const world = World.greeted({ random: () => 1 });
  world.socket.lose();
  assert.equal(world.client.connection.retryAt - world.timers.now(), 500);
});

test("once the server has answered, the next loss is the first again", () => {
  const world = World.greeted();
  world.socket.lose();
  world.timers.pass(500);
  world.socket.lose();
  world.timers.pass(1_000);
  world.socket.open();
  world.greet();
  world.socket.lose();
  assert.equal(world.client.connection.retryAt - world.timers.now(), 500);
});

test("a handshake that leads nowhere is given up after 10 s", () => {
  const world = new World();
  world.client.connect();
  world.timers.pass(10_500);
  assert.equal(world.sockets.length, 2);
  assert.equal(world.sockets[0].isClosed, true);
});

test("an open socket over which no answer comes is dead: a new one takes its place", () => {
  const world = World.greeted({ view: aView() });
  world.timers.pass(5_000);
  world.client.move("e2e4");
  world.timers.pass(9_500);
  assert.equal(world.sockets.length, 2);
  world.socket.open();
  assert.equal(world.socket.said("move").length, 1);
});

test("a connection that the server takes for lost is replaced, and the action goes on", () => {
  const world = World.greeted();
  world.client.joinTable("ABCDEF");
  const [{ id }] = world.socket.said("joinTable");
  world.hear({ event: "refused", re: id, code: "connectionLost", notice: "" });
  world.timers.pass(500);
  world.socket.open();
  assert.deepEqual(world.socket.said("joinTable").map((said) => said.id), [id]);
});

test("whose place was taken does not come back by itself, but does when asked", () => {
  const world = World.greeted({ view: aView() });
  world.hear({ event: "replaced", table: "TTTTTTTTTTTTTTTT" });
  world.timers.pass(600_000);
  assert.equal(world.sockets.length, 1);
  assert.equal(world.client.stopped, "replaced");
  world.client.connect();
  assert.equal(world.sockets.length, 2);
});

test("an outdated client does not come back", () => {
  const world = new World();
  world.client.connect();
  world.socket.open();
  const [{ id }] = world.socket.said("hello");
  const parameters = { minimum: "2.0.0", store: "" };
  world.hear({ event: "refused", re: id, code: "appOutdated", notice: "Too old.", parameters });
  world.timers.pass(600_000);
  assert.equal(world.sockets.length, 1);
  assert.equal(world.client.stopped, "outdated");
  assert.deepEqual(world.told.find(({ name }) => name === "outdated").detail, parameters);
});

test("waking up opens the next socket now", () => {
  const world = World.greeted({ view: aView() });
  world.socket.lose();
  world.client.wake();
  assert.equal(world.sockets.length, 2);
});

test("waking up in a game that was silent for a while asks where it stands", () => {
  const world = World.greeted({ view: aView() });
  world.client.wake();
  assert.equal(world.socket.said("sync").length, 0);
  world.timers.pass(6_000);
  world.client.wake();
  assert.equal(world.socket.said("sync").length, 1);
});

test("hello without a table means that there is none, unless one was made meanwhile", () => {
  const world = World.greeted({ view: aView() });
  world.socket.lose();
  world.timers.pass(500);
  world.socket.open();
  world.greet();
  assert.equal(world.client.view, null);
});
