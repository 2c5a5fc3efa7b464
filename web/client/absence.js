/**
 * How long a seat is kept for a player who cannot be heard. Pure. The server counts from when it
 * notices, which is never before the last that was heard of it: this is the least that remains.
 */

/** The server's own default; an operator may set another (`AbsenceMs`). */
export const ABSENCE_MS = 60_000;

/**
 * The instant (local epoch ms) until which the seat is kept at least; null where nobody is
 * removed: no live game, or the opponent is away too and the clock decides.
 */
export function keptUntil(view, presentAt, absenceMs) {
  if (view?.status !== "live" || !view.you || presentAt === null) return null;
  const theirs = view.you === "white" ? "black" : "white";
  return view.seats[theirs].away ? null : presentAt + absenceMs;
}
