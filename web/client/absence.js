/**
 * How long a player who cannot be heard may stay away. Pure. The server counts from when it
 * notices, which is never before the last that was heard of it: this is the least that remains.
 */

/** The server's own default; an operator may set another (`AbsenceMs`). */
export const ABSENCE_MS = 60_000;

/**
 * The instant (server's time) before which he must be back to play on: his seat is kept until
 * then at least, and his own flag has not fallen. Null where nothing happens to him: no live game,
 * or nobody waits for him and his clock does not run. `presentAt`: when the server knew he was
 * there, or null.
 */
export function backBefore(view, presentAt, absenceMs) {
  if (view?.status !== "live" || !view.you || presentAt === null) return null;
  const theirs = view.you === "white" ? "black" : "white";
  const removal = view.seats[theirs].away ? Infinity : presentAt + absenceMs;
  const flag = view.clock.runs === view.you ? (view.clock.flagAt ?? Infinity) : Infinity;
  const first = Math.min(removal, flag);
  return first === Infinity ? null : first;
}
