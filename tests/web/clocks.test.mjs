/** Clocks go by the server's time, and fallen flags are claimed when they may be. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { clocksAt } from "../../web/client/clocks.js";
import { aView, World } from "./support/world.mjs";

const THEIRS = { white: 900_000, black: 900_000, turnAt: 1_000, flagAt: 61_000, runs: "black" };

test("the server's time is taken from the quickest of the last messages", () => {
  const world = World.greeted();
  world.timers.pass(1_000);
  world.hear({ event: "pong", now: 10_000 });
  world.timers.pass(1_000);
  world.hear({ event: "pong", now: 10_700 });
  assert.equal(world.client.serverNow(), 11_000);
});

test("the running side loses what it has thought, in all and for this move", () => {
  const { white, black } = clocksAt(aView(), 11_000);
  assert.deepEqual(white, { runs: true, total: 890_000, move: 50_000 });
  assert.deepEqual(black, { runs: false, total: 900_000, move: null });
});

test("no clock shows less than nothing", () => {
  const { white } = clocksAt(aView(), 2_000_000);
  assert.deepEqual(white, { runs: true, total: 0, move: 0 });
});

test("without a limit in all only the move's own is shown; without clocks nothing", () => {
  const perMove = aView({ clock: { turnAt: 1_000, flagAt: 61_000, runs: "white" } });
  assert.deepEqual(clocksAt(perMove, 1_000).white, { runs: true, total: null, move: 60_000 });
  const none = aView({ clock: { turnAt: 1_000 } });
  assert.deepEqual(clocksAt(none, 1_000).white, { runs: false, total: null, move: null });
});

test("the opponent's flag is claimed 2.2 s after its fall, once", () => {
  const world = World.greeted({ view: aView({ ply: 1, clock: THEIRS }) });
  world.answerSyncs();
  world.timers.pass(62_199);
  assert.equal(world.socket.said("claimFlag").length, 0);
  world.timers.pass(1);
  const [{ table, game, ply }] = world.socket.said("claimFlag");
  assert.deepEqual({ table, game, ply }, { table: "TTTTTTTTTTTTTTTT", game: 1, ply: 1 });
});

test("a claim that was too early is made again when the server says", () => {
  const world = World.greeted({ view: aView({ ply: 1, clock: THEIRS }) });
  world.answerSyncs();
  world.timers.pass(62_200);
  const view = aView({ ply: 1, clock: THEIRS, now: 63_200 });
  const { id } = world.socket.said("claimFlag")[0];
  const parameters = { dueAt: 66_200 };
  world.hear({ event: "refused", re: id, code: "tooEarly", notice: "", parameters, v: 2, view });
  const before = world.socket.said("claimFlag").length;
  world.timers.pass(2_999);
  assert.equal(world.socket.said("claimFlag").length, before);
  world.timers.pass(1);
  assert.equal(world.socket.said("claimFlag").length, before + 1);
});

test("one's own flag is nobody's claim", () => {
  const world = World.greeted({ view: aView() });
  world.answerSyncs();
  world.timers.pass(120_000);
  assert.equal(world.sockets.flatMap((socket) => socket.said("claimFlag")).length, 0);
});
