/** One player's strip: who, whether he is there, and his clock with both limits. */

import { countdown, inDigits } from "../clockface.js";

const URGENT_MS = 10_000;
const FIRST_PLIES = 2;

export class Strip {
  #say;
  #root;
  #parts;

  constructor(root, say) {
    this.#root = root;
    this.#say = say;
    this.#parts = Object.fromEntries(
      ["dot", "name", "note", "move", "clock"].map((name) => {
        const part = document.createElement(name === "clock" ? "time" : "span");
        part.className = name;
        return [name, part];
      }),
    );
    const { dot, name, note, move, clock } = this.#parts;
    const who = document.createElement("span");
    who.className = "who";
    who.append(name, note);
    root.append(dot, who, move, clock);
    this.#parts.clock.setAttribute("role", "timer");
  }

  show(view, side, clock, serverNow) {
    const say = this.#say;
    const name = say(side === view.you ? "play.you" : "play.opponent");
    const isUrgent = clock.move !== null && clock.move < URGENT_MS;
    this.#root.classList.toggle("runs", clock.runs);
    this.#root.classList.toggle("urgent", isUrgent);
    this.#root.classList.toggle("away", view.status === "live" && Boolean(view.seats[side].away));
    this.#parts.dot.className = `dot army-${side}`;
    write(this.#parts.name, name);
    write(this.#parts.note, this.#note(view, side, serverNow));
    write(this.#parts.move, this.#moveLimit(view, clock));
    const shown = clock.total ?? clock.move;
    write(this.#parts.clock, shown === null ? "" : inDigits(shown));
    this.#parts.clock.setAttribute("aria-label", say("play.clock", { name, time: inDigits(shown ?? 0) }));
    this.#parts.clock.hidden = shown === null;
  }

  #note(view, side, serverNow) {
    const seat = view.seats[side];
    if (!seat.away || view.status !== "live") return "";
    if (seat.removalAt === undefined) return this.#say("play.away");
    return this.#say("play.away_until", { time: countdown(seat.removalAt - serverNow) });
  }

  /**
   * Said only where this move's own limit is the nearer one. Where there is little room it breaks
   * before the time, and nowhere else.
   */
  #moveLimit(view, clock) {
    if (clock.move === null || clock.total === null || clock.move >= clock.total) return "";
    const kind = view.ply < FIRST_PLIES ? "play.first_move" : "play.this_move";
    return `${this.#say(kind).replaceAll(" ", "\u00a0")} ${inDigits(clock.move)}`;
  }
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
