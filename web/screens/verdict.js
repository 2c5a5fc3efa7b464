/** Where a game stands, in words: whose move it is, or how it ended and why. Pure. */

const FIRST_PLIES = 2;

/**
 * `{title, detail, tone}`. `isSent`: one's own move is on its way; `before`: the last that was
 * seen of the game while it was played, or null.
 */
export function verdict(view, say, { isSent = false, serverNow = view.now, before = null } = {}) {
  if (view.status === "over") return ending(view, say, before);
  if (view.status !== "live") return { title: say("play.connecting"), detail: "" };
  const isOurs = onMove(view) === view.you && !isSent;
  const tone = isOurs ? "ours" : "";
  if (!isSent && isOutOfTime(view, serverNow)) return outOfTime(isOurs, say, tone);
  const title = say(isOurs ? "play.your_move" : "play.their_move");
  const check = view.check && !isSent ? say("play.check") : "";
  const away = view.seats[opponent(view)].away ? say("play.away_detail") : "";
  return { title, detail: [check, away].filter(Boolean).join(" "), tone };
}

/** The side on move. */
export function onMove(view) {
  return view.ply % 2 === 0 ? "white" : "black";
}

/** The side that one does not play. */
export function opponent(view) {
  return view.you === "white" ? "black" : "white";
}

/** The server has yet to say so, but no move counts any more. */
function isOutOfTime({ clock }, serverNow) {
  return clock.flagAt !== undefined && serverNow >= clock.flagAt;
}

function outOfTime(isOurs, say, tone) {
  return { title: say(isOurs ? "play.our_time_is_up" : "play.their_time_is_up"), detail: "", tone };
}

function ending(view, say, before) {
  const { winner, result } = view.outcome;
  const detail = reason(view, say, before);
  if (result === "*") return { title: say("result.none"), detail };
  const kind = winner ? (winner === view.you ? "won" : "lost") : "draw";
  return { title: `${say(`result.${kind}`)} · ${spread(result)}`, detail, tone: kind };
}

/** A flag or an absence against a side that cannot mate is a draw, and says why. */
function reason(view, say, before) {
  const { termination, winner } = view.outcome;
  if (termination === "aborted") return aborted(view, say, before);
  const isByAbsence = termination === "abandonment";
  if ((isByAbsence || termination === "timeForfeit") && !winner) return say(`reason.${termination}.draw`);
  if (isByAbsence && winner !== view.you) return say("reason.abandonment.you");
  const loser = winner ? say(`side.${winner === "white" ? "black" : "white"}`) : "";
  return say(`reason.${termination}`, { loser });
}

/** The outcome does not say why a game came to nothing; who watched it end can tell. */
function aborted(view, say, before) {
  if (view.ply >= FIRST_PLIES) return say("reason.aborted.idle");
  const { at } = view.outcome;
  const isSame = before?.table === view.table && before.game === view.game;
  const gone = isSame && ["white", "black"].find((side) => before.seats[side].removalAt === at);
  if (gone) return say("reason.aborted.away", { loser: say(`side.${gone}`) });
  if (isSame && before.ply === view.ply && before.clock.flagAt === at) {
    return say("reason.aborted.late", { loser: say(`side.${onMove(view)}`) });
  }
  return say("reason.aborted");
}

function spread(result) {
  return result === "1/2-1/2" ? "½–½" : result.replace("-", "–");
}
