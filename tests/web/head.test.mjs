/** Moves are applied in order; what is older is dropped; what is missing is asked for. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { aMove, aView, World } from "./support/world.mjs";

test("a move that follows changes the position, the clock and the list of moves", () => {
  const world = World.greeted({ view: aView() });
  world.hear(aMove({ v: 3, ply: 0, uci: "e2e4" }));
  const { v, ply, fen, moves, legal, check, clock } = world.client.view;
  assert.deepEqual(
    { v, ply, fen, moves, legal, check, runs: clock.runs },
    { v: 3, ply: 1, fen: "after e2e4", moves: ["e2e4"], legal: [], check: false, runs: "black" },
  );
});

test("a move with an outcome ends the game", () => {
  const world = World.greeted({ view: aView() });
  const outcome = { termination: "checkmate", result: "1-0", winner: "white", at: 2_000 };
  world.hear(aMove({ v: 3, ply: 0, uci: "e2e4", outcome }));
  assert.equal(world.client.view.status, "over");
  assert.deepEqual(world.client.view.outcome, outcome);
});

test("nobody is away at a game that a move has ended", () => {
  const away = { white: { taken: true }, black: { taken: true, away: true, removalAt: 60_000 } };
  const world = World.greeted({ view: aView({ seats: away }) });
  const outcome = { termination: "checkmate", result: "1-0", winner: "white", at: 2_000 };
  world.hear(aMove({ v: 3, ply: 0, uci: "e2e4", outcome }));
  assert.equal(world.client.view.seats.black.away, undefined);
});

test("a refusal that tells of a later v shows that something is missing", () => {
  const world = World.greeted({ view: aView() });
  world.hear({ event: "refused", table: "TTTTTTTTTTTTTTTT", v: 3, code: "illegalMove", notice: "No." });
  world.timers.pass(499);
  assert.equal(world.socket.said("sync").length, 0);
  world.timers.pass(1);
  const [{ id, table }] = world.socket.said("sync");
  world.hear({ event: "view", re: id, table, v: 3, view: aView({ v: 3 }) });
  world.timers.pass(5_000);
  assert.equal(world.socket.said("sync").length, 1);
});

test("a draw offer stands after its maker's move and is gone when a move does not name it", () => {
  const world = World.greeted({ view: aView({ drawOffer: { by: "white", v: 2 } }) });
  world.hear(aMove({ v: 3, ply: 0, uci: "e2e4", drawOffer: { by: "white", v: 2 } }));
  assert.deepEqual(world.client.view.drawOffer, { by: "white", v: 2 });
  world.hear(aMove({ v: 4, ply: 1, uci: "e7e5" }));
  assert.equal(world.client.view.drawOffer, undefined);
});

test("a message older than the view is dropped", () => {
  const world = World.greeted({ view: aView({ v: 5, ply: 3 }) });
  const before = world.client.view;
  world.hear(aMove({ v: 5, ply: 2, uci: "a2a3" }));
  world.hear({ event: "view", table: before.table, v: 4, view: aView({ v: 4 }) });
  assert.equal(world.client.view, before);
});

test("moves that arrive in the wrong order are put right without asking", () => {
  const world = World.greeted({ view: aView() });
  world.hear(aMove({ v: 4, ply: 1, uci: "e7e5" }));
  assert.equal(world.client.view.v, 2);
  world.timers.pass(499);
  world.hear(aMove({ v: 3, ply: 0, uci: "e2e4" }));
  assert.deepEqual(world.client.view.moves, ["e2e4", "e7e5"]);
  world.timers.pass(500);
  assert.equal(world.socket.said("sync").length, 0);
});

test("a gap that does not fill in 500 ms is asked for", () => {
  const world = World.greeted({ view: aView() });
  world.hear(aMove({ v: 4, ply: 1, uci: "e7e5" }));
  world.timers.pass(499);
  assert.equal(world.socket.said("sync").length, 0);
  world.timers.pass(1);
  const [{ table, v, id }] = world.socket.said("sync");
  assert.deepEqual({ table, v }, { table: "TTTTTTTTTTTTTTTT", v: 2 });
  world.hear({ event: "view", re: id, table, v: 4, view: aView({ v: 4, ply: 2 }) });
  assert.equal(world.client.view.v, 4);
});

test("what was held back follows the view that filled the gap", () => {
  const world = World.greeted({ view: aView() });
  world.hear(aMove({ v: 5, ply: 2, uci: "g1f3" }));
  world.hear({ event: "view", table: "TTTTTTTTTTTTTTTT", v: 4, view: aView({ v: 4, ply: 2 }) });
  assert.equal(world.client.view.v, 5);
});

test("an event with a whole view needs nothing before it", () => {
  const world = World.greeted({ view: aView() });
  const view = aView({ v: 7, ply: 3, drawOffer: { by: "black", v: 7 } });
  world.hear({ event: "drawOffered", table: view.table, v: 7, by: "black", view });
  assert.equal(world.client.view.v, 7);
  world.client.acceptDraw();
  assert.equal(world.socket.said("acceptDraw")[0].v, 7);
});

test("another table's messages are nothing to a player in a game", () => {
  const world = World.greeted({ view: aView() });
  const view = aView({ table: "OOOOOOOOOOOOOOOO", v: 9 });
  world.hear({ event: "ended", table: view.table, v: 9, view });
  assert.equal(world.client.view.table, "TTTTTTTTTTTTTTTT");
});

test("the answer to createTable brings the player to that table", () => {
  const world = World.greeted({ view: aView({ status: "over", legal: [] }) });
  world.client.createTable({ colour: "white" });
  const [{ id }] = world.socket.said("createTable");
  const view = aView({ table: "NNNNNNNNNNNNNNNN", v: 1, status: "waiting", code: "ABCDEF" });
  world.hear({ event: "created", re: id, table: view.table, v: 1, by: "white", view });
  assert.equal(world.client.view.code, "ABCDEF");
});

test("a table that is known no more is forgotten", () => {
  const world = World.greeted({ view: aView() });
  world.timers.pass(20_000);
  const { id } = world.socket.said("sync").at(-1);
  world.hear({ event: "refused", re: id, code: "tableNotFound", notice: "" });
  assert.equal(world.client.view, null);
});
