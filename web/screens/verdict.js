/** Where a game stands, in words: whose move it is, or how it ended and why. Pure. */

/** `{title, detail, tone}`; `isSent`: one's own move is on its way. */
export function verdict(view, say, isSent) {
  if (view.status === "over") return ending(view, say);
  if (view.status !== "live") return { title: say("play.connecting"), detail: "" };
  const isOurs = onMove(view) === view.you && !isSent;
  const title = say(isOurs ? "play.your_move" : "play.their_move");
  const detail = view.check && !isSent ? say("play.check") : "";
  return { title, detail, tone: isOurs ? "ours" : "" };
}

/** The side on move. */
export function onMove(view) {
  return view.ply % 2 === 0 ? "white" : "black";
}

function ending({ outcome, you }, say) {
  const { termination, winner, result } = outcome;
  const detail = reason(termination, winner, say);
  if (result === "*") return { title: say("result.none"), detail };
  const kind = winner ? (winner === you ? "won" : "lost") : "draw";
  return { title: `${say(`result.${kind}`)} · ${spread(result)}`, detail, tone: kind };
}

/** A flag or an absence against a side that cannot mate is a draw, and says why. */
function reason(termination, winner, say) {
  const canBeDrawn = termination === "timeForfeit" || termination === "abandonment";
  if (canBeDrawn && !winner) return say(`reason.${termination}.draw`);
  const loser = winner ? say(`side.${winner === "white" ? "black" : "white"}`) : "";
  return say(`reason.${termination}`, { loser });
}

function spread(result) {
  return result === "1/2-1/2" ? "½–½" : result.replace("-", "–");
}
