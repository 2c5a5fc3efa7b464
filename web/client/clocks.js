/**
 * What both clocks show at an instant, and when a fallen flag may be claimed. Pure: a view and
 * the server's time in; never a clock of its own, so nothing drifts.
 */

const SIDES = ["white", "black"];
/** A verdict needs the flag to be down this long; a little more than the server's patience. */
const CLAIM_AFTER_MS = 2_200;

/**
 * `{white, black}`, each `{runs, total, move}` in ms: what is left in all (null: no such limit)
 * and until the flag falls on this move (null: not running, or time never runs out).
 */
export function clocksAt(view, serverNow) {
  return Object.fromEntries(SIDES.map((side) => [side, sideAt(view, side, serverNow)]));
}

function sideAt(view, side, serverNow) {
  const { clock } = view;
  const runs = clock.runs === side;
  const spent = runs ? Math.max(0, serverNow - clock.turnAt) : 0;
  const total = clock[side] === undefined ? null : Math.max(0, clock[side] - spent);
  const hasFlag = runs && clock.flagAt !== undefined;
  return { runs, total, move: hasFlag ? Math.max(0, clock.flagAt - Math.max(serverNow, clock.turnAt)) : null };
}

/** The instant (server's time) from which the opponent's fallen flag is worth a claim; or null. */
export function claimAt(view) {
  const { clock, you } = view;
  const isTheirs = view.status === "live" && you && clock.runs && clock.runs !== you;
  return isTheirs && clock.flagAt !== undefined ? clock.flagAt + CLAIM_AFTER_MS : null;
}
