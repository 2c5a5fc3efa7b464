/** Men as pictures: one sprite, coloured by the army's CSS variables. */

const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const SVG = "http://www.w3.org/2000/svg";
const SPRITE = new URL("../pieces.svg", import.meta.url).href;

/** The English name that the sprite and the texts know a man by. */
export function pieceName(man) {
  return NAMES[man.toLowerCase()];
}

/** An `<svg>` of a man, in the army of `side`. */
export function pieceImage(man, side) {
  const image = document.createElementNS(SVG, "svg");
  image.setAttribute("class", `piece army-${side}`);
  image.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `${SPRITE}#${pieceName(man)}`);
  image.append(use);
  return image;
}
