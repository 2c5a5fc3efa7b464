/**
 * A board of any width and height: a grid of labelled buttons. Moves are made by two clicks, by
 * dragging, by touch, or by keyboard (arrows, Enter, Escape). It knows where men stand and which
 * moves are legal because it is told; it tells which move was chosen.
 */

import { Dragging } from "./drag.js";
import { fileOf, parseMove, rankOf, sideOf, squareName } from "./fen.js";
import { pieceImage } from "./pieces.js";

const STEP_MS = 160;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class Board {
  #root;
  #options;
  #squares = new Map();
  #shape = "";
  #shown = null;
  #selected = null;
  #focused = null;

  /**
   * `onMove({from, to, letters})` hears a chosen move; `letters` are the promotions it may have.
   * `label(square, man)` gives a square's name in words.
   */
  constructor(root, options) {
    this.#root = root;
    this.#options = options;
    root.addEventListener("click", (event) => this.#clicked(event));
    root.addEventListener("keydown", (event) => this.#pressed(event));
    root.addEventListener("focusin", (event) => this.#focus(event.target.dataset.square));
    new Dragging(root, {
      canLift: (square) => this.#targets(square).size > 0,
      onLift: (square) => this.#select(square),
      onDrop: (from, to) => this.#dropped(from, to),
    });
  }

  /**
   * Draws `{position, orientation, legal, lastMove, check}`; `legal` are moves as text, `lastMove`
   * is one or null, `check` a square or null. `isQuiet`: no animation, the man was dragged there.
   */
  show(scene, { isQuiet = false } = {}) {
    const before = this.#shown;
    this.#shown = { ...scene, moves: bySquare(scene.legal) };
    this.#lay(scene);
    if (!this.#targets(this.#selected).size) this.#selected = null;
    for (const square of this.#squares.keys()) this.#paint(square);
    if (before && !isQuiet) this.#animate(before);
  }

  /** Forgets a half-made move. */
  deselect() {
    this.#select(null);
  }

  // ---- drawing

  /** Buttons are made once per shape and orientation, so that focus and animations survive. */
  #lay({ position: { width, height }, orientation }) {
    const shape = `${width}x${height} ${orientation}`;
    if (shape === this.#shape) return;
    this.#shape = shape;
    this.#root.style.setProperty("--width", width);
    this.#root.style.setProperty("--height", height);
    this.#squares.clear();
    const isWhite = orientation === "white";
    for (let row = 0; row < height; row += 1) {
      for (let column = 0; column < width; column += 1) {
        const file = isWhite ? column : width - 1 - column;
        const rank = isWhite ? height - 1 - row : row;
        this.#squares.set(squareName(file, rank), squareButton(file, rank, row, column, height));
      }
    }
    this.#focused = null;
    this.#root.replaceChildren(...this.#squares.values());
    this.#squares.values().next().value.tabIndex = 0;
  }

  #paint(square) {
    const { position, lastMove, check } = this.#shown;
    const button = this.#squares.get(square);
    const man = position.men.get(square) ?? "";
    if (button.dataset.man !== man) {
      button.dataset.man = man;
      button.querySelector(".piece")?.remove();
      if (man) button.append(pieceImage(man, sideOf(man)));
    }
    const last = lastMove && parseMove(lastMove);
    const targets = this.#targets(this.#selected);
    button.classList.toggle("last", Boolean(last && (last.from === square || last.to === square)));
    button.classList.toggle("check", check === square);
    button.classList.toggle("selected", this.#selected === square);
    button.classList.toggle("target", targets.has(square));
    button.classList.toggle("movable", this.#targets(square).size > 0);
    button.setAttribute("aria-label", this.#options.label(square, man));
    button.setAttribute("aria-pressed", String(this.#selected === square));
  }

  /** The man of the last move glides from where it stood. */
  #animate(before) {
    const { lastMove, position } = this.#shown;
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isCalm || !lastMove || lastMove === before.lastMove) return;
    const { from, to } = parseMove(lastMove);
    if (position.men.has(from) || !before.position.men.has(from)) return;
    const image = this.#squares.get(to)?.querySelector(".piece");
    const start = this.#squares.get(from)?.getBoundingClientRect();
    if (!image || !start) return;
    const end = this.#squares.get(to).getBoundingClientRect();
    const shift = `translate(${start.x - end.x}px, ${start.y - end.y}px)`;
    image.animate([{ transform: shift }, { transform: "none" }], {
      duration: STEP_MS,
      easing: "ease-out",
    });
  }

  // ---- choosing

  #targets(square) {
    return this.#shown?.moves.get(square) ?? NOWHERE;
  }

  #clicked(event) {
    const square = event.target.closest("button")?.dataset.square;
    if (square) this.#chosen(square);
  }

  #chosen(square) {
    if (this.#targets(this.#selected).has(square)) this.#play(this.#selected, square);
    else if (square !== this.#selected && this.#targets(square).size) this.#select(square);
    else this.#select(null);
  }

  #dropped(from, to) {
    if (to && this.#targets(from).has(to)) this.#play(from, to, { isQuiet: true });
    else if (to !== from) this.#select(null);
  }

  #play(from, to, manner = {}) {
    const letters = this.#targets(from).get(to);
    this.#select(null);
    this.#options.onMove({ from, to, letters }, manner);
  }

  #select(square) {
    this.#selected = square;
    for (const each of this.#squares.keys()) this.#paint(each);
  }

  // ---- keyboard

  #pressed(event) {
    if (event.key === "Escape") this.#select(null);
    const step = ARROWS[event.key];
    const square = event.target.dataset.square;
    if (!step || !square) return;
    event.preventDefault();
    const sign = this.#shown.orientation === "white" ? 1 : -1;
    const next = squareName(fileOf(square) + sign * step[0], rankOf(square) + sign * step[1]);
    this.#squares.get(next)?.focus();
  }

  /** One square of the board is in the tab order: the one that had the focus last. */
  #focus(square) {
    if (!square) return;
    const before = this.#squares.get(this.#focused) ?? this.#squares.values().next().value;
    before.tabIndex = -1;
    this.#squares.get(square).tabIndex = 0;
    this.#focused = square;
  }
}

const NOWHERE = new Map();

/** Map(from -> Map(to -> promotion letters)). */
function bySquare(legal) {
  const moves = new Map();
  for (const { from, to, letter } of legal.map(parseMove)) {
    if (!moves.has(from)) moves.set(from, new Map());
    const targets = moves.get(from);
    targets.set(to, [...(targets.get(to) ?? []), ...(letter ? [letter] : [])]);
  }
  return moves;
}

function squareButton(file, rank, row, column, height) {
  const button = document.createElement("button");
  button.type = "button";
  button.tabIndex = -1;
  button.className = `square ${(file + rank) % 2 ? "light" : "dark"}`;
  button.dataset.square = squareName(file, rank);
  button.dataset.man = "";
  if (column === 0) button.append(mark("rank", rank + 1));
  if (row === height - 1) button.append(mark("file", String.fromCharCode(97 + file)));
  return button;
}

/** A coordinate at the edge, written by the style sheet: the label says it to a screen reader. */
function mark(kind, text) {
  const element = document.createElement("span");
  element.className = `mark ${kind}`;
  element.dataset.mark = text;
  return element;
}
