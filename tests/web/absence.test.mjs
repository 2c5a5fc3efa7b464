/** Being away: how long one may be, and what is said of who was. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { countdown } from "../../web/clockface.js";
import { verdict } from "../../web/screens/verdict.js";
import { aMove, aView, World } from "./support/world.mjs";

const WORDS = JSON.parse(readFileSync(new URL("../../web/texts/en.json", import.meta.url), "utf8"));
const THEIRS = { white: 900_000, black: 900_000, turnAt: 1_000, flagAt: 61_000, runs: "black" };
const UNTIMED = { turnAt: 1_000 };
const AWAY = { white: { taken: true }, black: { taken: true, away: true, removalAt: 70_000 } };

const say = (key, values = {}) => WORDS[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);

function ended(outcome, changes = {}) {
  return aView({ status: "over", outcome: { result: "*", at: 70_000, ...outcome }, ...changes });
}

test("a seat is kept for a minute after the server was last heard", () => {
  const world = World.greeted({ view: aView({ clock: THEIRS }) });
  world.timers.pass(5_000);
  world.hear(aMove({ v: 3, ply: 0, uci: "e2e4", clock: UNTIMED, now: world.timers.now() }));
  world.socket.lose();
  world.timers.pass(20_000);
  assert.equal(world.client.backBefore - world.client.serverNow(), 40_000);
});

test("an open socket that has not been greeted is no sign of being there", () => {
  const world = World.greeted({ view: aView({ clock: UNTIMED }) });
  world.socket.lose();
  world.timers.pass(500);
  world.socket.open();
  world.timers.pass(5_000);
  assert.equal(world.client.backBefore - world.client.serverNow(), 54_500);
});

test("it is told in the server's time, whatever the clock of this device says", () => {
  const world = World.greeted({ view: aView({ clock: UNTIMED }) });
  world.hear({ event: "pong", now: 500_000 });
  assert.equal(world.client.serverNow(), 500_000);
  assert.equal(world.client.backBefore, 560_000);
});

test("one's own flag may fall before", () => {
  const clock = { white: 30_000, black: 900_000, turnAt: 1_000, flagAt: 31_000, runs: "white" };
  const world = World.greeted({ view: aView({ clock }) });
  assert.equal(world.client.backBefore, 31_000);
});

test("an operator may set another limit", () => {
  const world = World.greeted({ view: aView({ clock: THEIRS }), absenceMs: 300_000 });
  assert.equal(world.client.backBefore, 301_000);
});

test("while the opponent is away too only the clock decides", () => {
  const untimed = World.greeted({ view: aView({ clock: UNTIMED, seats: AWAY }) });
  assert.equal(untimed.client.backBefore, null);
  const timed = World.greeted({ view: aView({ seats: AWAY }) });
  assert.equal(timed.client.backBefore, 61_000);
});

for (const status of ["waiting", "seated", "over"]) {
  test(`at a table that is ${status} nobody is removed`, () => {
    assert.equal(World.greeted({ view: aView({ status }) }).client.backBefore, null);
  });
}

test("who doubts the network asks at once, and finds a dead socket out in seconds", () => {
  const world = World.greeted({ view: aView() });
  world.client.doubt();
  assert.equal(world.socket.said("sync").length, 1);
  world.timers.pass(9_000);
  assert.equal(world.client.connection.state, "waiting");
});

test("where no game is played a doubt is a ping", () => {
  const world = World.greeted();
  world.client.doubt();
  assert.equal(world.socket.said("ping").length, 1);
});

test("without a socket there is nothing to doubt", () => {
  const world = World.greeted({ view: aView() });
  world.socket.lose();
  world.client.doubt();
  world.client.wake();
  world.socket.open();
  assert.deepEqual(world.socket.sent.map(({ action }) => action), ["hello"]);
});

test("a countdown reaches nothing at its instant and not before", () => {
  const shown = [60_000, 59_999, 59_000, 1, 0, -1].map(countdown);
  assert.deepEqual(shown, ["1:00", "1:00", "0:59", "0:01", "0:00", "0:00"]);
});

test("whose opponent is away reads what that means", () => {
  const { title, detail } = verdict(aView({ seats: AWAY }), say);
  assert.deepEqual([title, detail], ["Your move", WORDS["play.away_detail"]]);
});

test("a time that is up is said before the server's verdict comes", () => {
  const at = (serverNow, view) => verdict(view, say, { serverNow }).title;
  assert.equal(at(60_999, aView()), "Your move");
  assert.equal(at(61_000, aView()), "Your time is up");
  assert.equal(at(61_000, aView({ ply: 1 })), "Opponent\u2019s time is up");
});

test("the removed reads that it was he, the other who it was", () => {
  const outcome = { termination: "abandonment", winner: "black", result: "0-1" };
  assert.equal(verdict(ended(outcome), say).detail, "You were away for too long");
  assert.equal(verdict(ended(outcome, { you: "black" }), say).detail, "White was away for too long");
});

test("why a game came to nothing is told to who watched it", () => {
  const over = ended({ termination: "aborted" });
  const told = (before) => verdict(over, say, { before }).detail;
  assert.equal(told(aView({ seats: AWAY })), say("reason.aborted.away", { loser: "Black" }));
  const flagged = aView({ clock: { ...THEIRS, flagAt: 70_000 } });
  assert.equal(told(flagged), say("reason.aborted.late", { loser: "White" }));
  for (const other of [null, aView(), { ...flagged, game: 2 }, { ...flagged, ply: 1 }]) {
    assert.equal(told(other), say("reason.aborted"));
  }
});

test("a game without clocks that nobody went on with says so", () => {
  const over = ended({ termination: "aborted" }, { ply: 12 });
  assert.equal(verdict(over, say).detail, say("reason.aborted.idle"));
});
