/** Men are where the FEN says, on boards of any size, and go where a move takes them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords, kingSquare, parseFen, START_FENS, withMove } from "../../web/board/fen.js";

const men = (fen, uci) => Object.fromEntries(withMove(parseFen(fen), uci).men);

test("the first position has 32 men on 8 by 8, White to move", () => {
  const { width, height, men: all, side } = parseFen(START_FENS.standard);
  assert.deepEqual({ width, height, side, count: all.size }, { width: 8, height: 8, side: "white", count: 32 });
  assert.equal(all.get("e1"), "K");
  assert.equal(all.get("d8"), "q");
});

test("a board of ten files counts gaps of ten", () => {
  const { width, height, men: all } = parseFen("rn1bqkb1nr/10/10/10/10/10/10/10/10/RN1BQKB1NR b - - 0 1");
  assert.deepEqual({ width, height }, { width: 10, height: 10 });
  assert.equal(all.get("j10"), "r");
  assert.equal(all.get("a1"), "R");
});

test("castling takes the rook along, on either side", () => {
  const fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
  assert.deepEqual(men(fen, "e1g1"), { a8: "r", e8: "k", h8: "r", a1: "R", f1: "R", g1: "K" });
  assert.deepEqual(men(fen, "e8c8"), { d8: "r", c8: "k", h8: "r", a1: "R", e1: "K", h1: "R" });
});

test("a pawn taken in passing is gone", () => {
  assert.deepEqual(men("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), { e8: "k", d6: "P", e1: "K" });
});

test("a promoted pawn is what was chosen, in its own colour", () => {
  assert.deepEqual(men("8/8/8/8/8/k7/6p1/K7 b - - 0 1", "g2g1n"), { a3: "k", a1: "K", g1: "n" });
});

test("the king in check is the one to move", () => {
  assert.equal(kingSquare(parseFen("4k3/8/8/8/8/8/8/4K3 b - - 0 1")), "e8");
});

test("moves read as squares, with captures, castling and promotions", () => {
  const game = "e2e4 d7d5 e4d5 g8f6 g1f3 e7e6 f1c4 b8c6 e1g1".split(" ");
  const words = inWords(START_FENS.standard, game);
  assert.deepEqual(words.slice(0, 4), ["e2–e4", "d7–d5", "e4×d5", "Ng8–f6"]);
  assert.equal(words.at(-1), "O-O");
  const pawn = "k6r/6P1/8/8/8/8/8/K7 w - - 0 1";
  assert.deepEqual(inWords(pawn, ["g7g8q"]), ["g7–g8=Q"]);
  assert.deepEqual(inWords(pawn, ["g7h8n"]), ["g7×h8=N"]);
});
