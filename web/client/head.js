/**
 * What a message makes of the view one holds. Pure: a view and a message in, a verdict out.
 * `v` numbers what can be seen at a table, without holes: what is older is dropped, what does not
 * follow waits for what is missing, and a whole view needs nothing before it.
 */

/** Answers to these bring the player to another table. */
const SEATING = new Set(["hello", "createTable", "joinTable"]);
/** Both seats once a game is over: nobody is waited for any more. */
const NOBODY_AWAY = { white: { taken: true }, black: { taken: true } };

/**
 * `{verdict, view}`: `taken` (view is the new one), `stale`, `gap` (something is missing before
 * it), or `foreign` (another table). `answered` is the name of the own action it answers, if any.
 */
export function follow(view, message, answered = undefined) {
  if (message.view) return followView(view, message.view, answered);
  if (!view || view.table !== message.table) return { verdict: "foreign", view };
  if (message.event !== "moved") return { verdict: message.v > view.v ? "gap" : "stale", view };
  if (message.v <= view.v) return { verdict: "stale", view };
  const isNext = message.v === view.v + 1 && message.game === view.game;
  if (!isNext || message.ply !== view.ply) return { verdict: "gap", view };
  return { verdict: "taken", view: afterMove(view, message) };
}

function followView(view, shown, answered) {
  if (!view) return { verdict: "taken", view: shown };
  if (view.table !== shown.table) {
    const isMine = SEATING.has(answered) || (view.status === "over" && shown.status !== "over");
    return isMine ? { verdict: "taken", view: shown } : { verdict: "foreign", view };
  }
  const isOlder = shown.v < view.v || (shown.v === view.v && shown.now < view.now);
  return isOlder ? { verdict: "stale", view } : { verdict: "taken", view: shown };
}

/** Fields that are absent from a message are null, empty or false: none is inherited. */
function afterMove(view, message) {
  return {
    ...view,
    v: message.v,
    ply: message.ply + 1,
    fen: message.fen,
    check: message.check ?? false,
    legal: message.legal ?? [],
    moves: [...(view.moves ?? []), message.uci],
    clock: message.clock,
    drawOffer: message.drawOffer,
    outcome: message.outcome,
    status: message.outcome ? "over" : view.status,
    seats: message.outcome ? NOBODY_AWAY : view.seats,
    now: message.now,
  };
}
