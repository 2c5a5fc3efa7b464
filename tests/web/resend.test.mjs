/** What is not answered is said again, with the same id, until it is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { aMove, aView, World } from "./support/world.mjs";

const ID = /^[A-Za-z0-9_-]{16}$/;

test("a move carries table, game and ply, and an id of 96 bits", () => {
  const world = World.greeted({ view: aView() });
  world.client.move("e2e4");
  const [{ id, ...move }] = world.socket.said("move");
  assert.match(id, ID);
  assert.deepEqual(move, { action: "move", table: "TTTTTTTTTTTTTTTT", game: 1, ply: 0, uci: "e2e4" });
});

test("two intentions have two ids", () => {
  const world = World.greeted({ view: aView() });
  world.client.resign();
  world.client.resign();
  const [first, second] = world.socket.said("resign");
  assert.notEqual(first.id, second.id);
});

test("an unanswered move is sent again after 3 s with the same id, then later and later", () => {
  const world = World.greeted({ view: aView() });
  world.client.move("e2e4");
  const counts = [2_999, 1, 5_999, 1].map((ms) => {
    world.hear({ event: "pong", now: world.timers.now() });
    world.timers.pass(ms);
    return world.socket.said("move").length;
  });
  assert.deepEqual(counts, [1, 2, 2, 3]);
  assert.equal(new Set(world.socket.said("move").map(({ id }) => id)).size, 1);
});

test("an answered move is not sent again, and its promise is the answer", async () => {
  const world = World.greeted({ view: aView() });
  const answer = world.client.move("e2e4");
  const [{ id }] = world.socket.said("move");
  world.hear(aMove({ v: 3, ply: 0, uci: "e2e4", re: id }));
  world.timers.pass(15_000);
  assert.equal(world.socket.said("move").length, 1);
  assert.equal((await answer).event, "moved");
});

test("somebody else's message is no answer", () => {
  const world = World.greeted({ view: aView() });
  world.client.move("e2e4");
  world.hear({ event: "pong", re: "somebody's thing", now: 1_500 });
  world.timers.pass(3_000);
  assert.equal(world.socket.said("move").length, 2);
});

test("an error frame of the gateway is no answer", () => {
  const world = World.greeted({ view: aView() });
  world.client.move("e2e4");
  world.hear({ message: "Internal server error", connectionId: "c", requestId: "r" });
  world.timers.pass(3_000);
  assert.equal(world.socket.said("move").length, 2);
});

test("a refusal is an answer", async () => {
  const world = World.greeted({ view: aView() });
  const answer = world.client.move("e2e5");
  const [{ id }] = world.socket.said("move");
  world.hear({ event: "refused", re: id, code: "illegalMove", notice: "No.", parameters: {} });
  world.timers.pass(10_000);
  assert.equal(world.socket.said("move").length, 1);
  assert.equal((await answer).code, "illegalMove");
  assert.equal(world.told.at(-1).name, "refused");
});

test("busy is no answer: the same action again in a second, five times at most", async () => {
  const world = World.greeted({ view: aView() });
  const answer = world.client.move("e2e4");
  const [{ id }] = world.socket.said("move");
  for (let time = 1; time <= 5; time += 1) {
    world.hear({ event: "refused", re: id, code: "busy", notice: "Later." });
    world.timers.pass(1_000);
    assert.equal(world.socket.said("move").length, time + 1);
  }
  world.hear({ event: "refused", re: id, code: "busy", notice: "Later." });
  assert.equal((await answer).code, "busy");
});

test("after a reconnect the unanswered goes out at once, with the same id, behind hello", () => {
  const world = World.greeted({ view: aView() });
  world.client.move("e2e4");
  const [{ id }] = world.socket.said("move");
  world.socket.lose();
  world.timers.pass(500);
  world.socket.open();
  assert.deepEqual(world.socket.sent.map(({ action }) => action), ["hello", "move"]);
  assert.equal(world.socket.said("move")[0].id, id);
});

test("what is said while there is no socket waits for one", () => {
  const world = World.greeted({ view: aView() });
  world.socket.lose();
  world.client.move("e2e4");
  world.timers.pass(500);
  world.socket.open();
  assert.equal(world.socket.said("move").length, 1);
});

test("a stale ply is answered with a view, which is taken", () => {
  const world = World.greeted({ view: aView() });
  world.client.move("e2e4");
  const [{ id }] = world.socket.said("move");
  const view = aView({ v: 4, ply: 2 });
  world.hear({ event: "refused", re: id, code: "stalePly", notice: "", table: view.table, v: 4, view });
  assert.equal(world.client.view.ply, 2);
});

test("a closed client waits for no answer", async () => {
  const world = World.greeted({ view: aView() });
  const answer = world.client.move("e2e4");
  world.client.close();
  assert.equal(await answer, null);
});
