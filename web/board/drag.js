/**
 * Dragging with pointer events: mouse, pen and finger alike. A press that hardly moves stays a
 * click. Knows squares as `data-square`; which of them can be lifted it asks.
 */

const THRESHOLD_PX = 5;

export class Dragging {
  #root;
  #options;
  #press = null;

  /** `canLift(square)`, `onLift(square)`, `onDrop(from, to)`; `to` is null beside the board. */
  constructor(root, options) {
    this.#root = root;
    this.#options = options;
    root.addEventListener("pointerdown", (event) => this.#down(event));
    root.addEventListener("pointermove", (event) => this.#move(event));
    root.addEventListener("pointerup", (event) => this.#up(event));
    root.addEventListener("pointercancel", () => this.#end());
    root.addEventListener("click", (event) => this.#swallow(event), { capture: true });
  }

  #isClickSpent = false;

  #down(event) {
    this.#isClickSpent = false;
    const square = squareUnder(event.target);
    if (event.button !== 0 || !event.isPrimary || !square || !this.#options.canLift(square)) return;
    const image = event.target.closest("button").querySelector(".piece");
    this.#press = { square, image, x: event.clientX, y: event.clientY, isLifted: false };
  }

  #move(event) {
    const press = this.#press;
    if (!press || !event.isPrimary) return;
    const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
    if (!press.isLifted && Math.hypot(dx, dy) < THRESHOLD_PX) return;
    if (!press.isLifted) this.#lift(press, event.pointerId);
    press.image.style.translate = `${dx}px ${dy}px`;
    this.#hover(this.#squareAt(event));
  }

  /** The man hangs centred under the pointer, whatever corner of the square was pressed. */
  #lift(press, pointerId) {
    press.isLifted = true;
    this.#root.setPointerCapture(pointerId);
    const box = press.image.getBoundingClientRect();
    press.x = box.x + box.width / 2;
    press.y = box.y + box.height / 2;
    press.image.classList.add("lifted");
    this.#options.onLift(press.square);
  }

  #up(event) {
    const press = this.#press;
    if (!press) return;
    const target = press.isLifted ? this.#squareAt(event) : null;
    this.#end();
    if (!press.isLifted) return;
    this.#isClickSpent = true;
    this.#options.onDrop(press.square, target);
  }

  #end() {
    const press = this.#press;
    this.#press = null;
    this.#hover(null);
    press?.image.classList.remove("lifted");
    if (press) press.image.style.translate = "";
  }

  /** After a drag browsers send a click as well, to the board or to the square: it means nothing. */
  #swallow(event) {
    if (!this.#isClickSpent) return;
    this.#isClickSpent = false;
    event.stopPropagation();
  }

  #squareAt(event) {
    const element = document.elementFromPoint(event.clientX, event.clientY);
    return element && this.#root.contains(element) ? squareUnder(element) : null;
  }

  #hover(square) {
    for (const each of this.#root.querySelectorAll(".hovered")) each.classList.remove("hovered");
    if (square) this.#root.querySelector(`[data-square="${square}"]`).classList.add("hovered");
  }
}

function squareUnder(element) {
  return element.closest("[data-square]")?.dataset.square ?? null;
}
