/**
 * Positions: what stands where. Reads the placement of a FEN of any width and height, and knows
 * how far a move shifts men on the board, so that one's own move is seen before the server answers.
 * Knows no rules: what is legal comes with the view.
 */

const MOVE = /^([a-z]\d+)([a-z]\d+)([a-z]?)$/;

/** First positions by ruleset, for replaying a game's moves. */
export const START_FENS = {
  standard: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
};

/** `{width, height, men: Map(square -> letter), side}`; upper case letters are White's. */
export function parseFen(fen) {
  const [placement, turn] = fen.split(" ");
  const ranks = placement.split("/");
  const men = new Map();
  let width = 0;
  ranks.forEach((rank, row) => {
    let file = 0;
    for (const [token] of rank.matchAll(/\d+|[A-Za-z]/g)) {
      if (/\d/.test(token)) {
        file += Number(token);
      } else {
        men.set(squareName(file, ranks.length - 1 - row), token);
        file += 1;
      }
    }
    width = Math.max(width, file);
  });
  return { width, height: ranks.length, men, side: turn === "b" ? "black" : "white" };
}

export function squareName(file, rank) {
  return String.fromCharCode(97 + file) + (rank + 1);
}

export function fileOf(square) {
  return square.charCodeAt(0) - 97;
}

export function rankOf(square) {
  return Number(square.slice(1)) - 1;
}

/** `{from, to, letter}` of a move as text. */
export function parseMove(uci) {
  const [, from, to, letter] = MOVE.exec(uci);
  return { from, to, letter };
}

export function sideOf(man) {
  return man === man.toUpperCase() ? "white" : "black";
}

/** The position after a legal move: castling takes the rook along, en passant its pawn away. */
export function withMove(position, uci) {
  const { from, to, letter } = parseMove(uci);
  const men = new Map(position.men);
  const man = men.get(from);
  const isPawn = man.toLowerCase() === "p";
  if (isPawn && fileOf(from) !== fileOf(to) && !men.has(to)) {
    men.delete(squareName(fileOf(to), rankOf(from)));
  }
  men.delete(from);
  men.set(to, letter ? inColourOf(man, letter) : man);
  if (isCastling(man, from, to)) moveRook(men, position.width, from, to);
  return { ...position, men, side: position.side === "white" ? "black" : "white" };
}

export function isCastling(man, from, to) {
  return man.toLowerCase() === "k" && Math.abs(fileOf(from) - fileOf(to)) === 2;
}

/** The square of the king of the side on move. */
export function kingSquare({ men, side }) {
  const king = side === "white" ? "K" : "k";
  for (const [square, man] of men) if (man === king) return square;
  return null;
}

/** The moves of a game in long algebraic notation: `Ng1–f3`, `e4×d5`, `O-O`. */
export function inWords(startFen, ucis) {
  let position = parseFen(startFen);
  return ucis.map((uci) => {
    const text = inLongNotation(position, uci);
    position = withMove(position, uci);
    return text;
  });
}

function inLongNotation({ men }, uci) {
  const { from, to, letter } = parseMove(uci);
  const man = men.get(from);
  if (isCastling(man, from, to)) return fileOf(to) > fileOf(from) ? "O-O" : "O-O-O";
  const kind = man.toUpperCase();
  const isCapture = men.has(to) || (kind === "P" && fileOf(from) !== fileOf(to));
  const promotion = letter ? `=${letter.toUpperCase()}` : "";
  return `${kind === "P" ? "" : kind}${from}${isCapture ? "×" : "–"}${to}${promotion}`;
}

function inColourOf(man, letter) {
  return sideOf(man) === "white" ? letter.toUpperCase() : letter.toLowerCase();
}

function moveRook(men, width, from, to) {
  const isKingside = fileOf(to) > fileOf(from);
  const corner = squareName(isKingside ? width - 1 : 0, rankOf(from));
  const rook = men.get(corner);
  if (!rook) return;
  men.delete(corner);
  men.set(squareName(fileOf(to) + (isKingside ? -1 : 1), rankOf(from)), rook);
}
