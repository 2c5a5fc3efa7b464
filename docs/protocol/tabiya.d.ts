// The messages of Tabiya, sub-protocol tabiya.v1. Generated; do not edit.
// An optional field that the server left out is at its default, or does not apply.

/** First word on a connection; answered with identity, token and the table one sits at. */
export interface SayHello {
  action: "hello";
  id: string;
}

/** Where does my table stand? Answered `unchanged` when `v` is the head, else with a view. */
export interface Sync {
  action: "sync";
  id: string;
  table: string;
  /** Default: 0 */
  v?: number;
}

/** Keeps the socket from idling; answered `pong`. */
export interface Ping {
  action: "ping";
  id: string;
}

/** A private table, its maker seated. No time control: 15 minutes in all, 60 s a move. */
export interface CreateTable {
  action: "createTable";
  id: string;
  /** Default: "standard" */
  ruleset?: string;
  /** Default: {"totalMs": 900000, "perMoveMs": 60000, "incrementMs": 0} */
  timeControl?: TimeControl;
  /** Default: "random" */
  colour?: "black" | "random" | "white";
}

/** How long each player has: in all, for one move, and what a move gives back (ms). */
export interface TimeControl {
  /** Default: 900000 */
  totalMs?: number | null;
  /** Default: 60000 */
  perMoveMs?: number | null;
  /** Default: 0 */
  incrementMs?: number;
}

/** Sit down at the table with this code, or this link. */
export interface JoinTable {
  action: "joinTable";
  id: string;
  code: string;
}

/** `uci` is two squares and, for a promotion, its letter: `e7e8n`. */
export interface Move {
  action: "move";
  id: string;
  table: string;
  game: number;
  ply: number;
  uci: string;
}

/** A player may resign on anybody's turn; resigning loses whatever the material. */
export interface Resign {
  action: "resign";
  id: string;
  table: string;
  game: number;
  ply: number;
}

/** Either side may abort while fewer than two plies are played. */
export interface Abort {
  action: "abort";
  id: string;
  table: string;
  game: number;
  ply: number;
}

/** On anybody's turn; an offer while the opponent's stands is a new offer's answer: accept. */
export interface OfferDraw {
  action: "offerDraw";
  id: string;
  table: string;
  game: number;
  ply: number;
}

/** `v` is the offer's own. */
export interface AcceptDraw {
  action: "acceptDraw";
  id: string;
  table: string;
  game: number;
  ply: number;
  v: number;
}

/** `v` is the offer's own. */
export interface DeclineDraw {
  action: "declineDraw";
  id: string;
  table: string;
  game: number;
  ply: number;
  v: number;
}

/** A verdict is written only when patience is over too, dated at the fall of the flag. */
export interface ClaimFlag {
  action: "claimFlag";
  id: string;
  table: string;
  game: number;
  ply: number;
}

/** An offer while the opponent's stands accepts that. */
export interface OfferRematch {
  action: "offerRematch";
  id: string;
  table: string;
  game: number;
  ply: number;
}

/** `v` is the offer's own. */
export interface AcceptRematch {
  action: "acceptRematch";
  id: string;
  table: string;
  game: number;
  ply: number;
  v: number;
}

/** `v` is the offer's own; the offerer may take his own back with it. */
export interface DeclineRematch {
  action: "declineRematch";
  id: string;
  table: string;
  game: number;
  ply: number;
  v: number;
}

/** Allowed at every stage before the end; a table that is over holds nobody. */
export interface LeaveTable {
  action: "leaveTable";
  id: string;
  table: string;
  game: number;
  ply: number;
}

/** The answer to `hello`: who you are, the token that says so again, and your table. */
export interface Hello {
  event: "hello";
  re?: string;
  player: string;
  token: string;
  now: number;
  view?: View;
}

/** A table as one viewer may see it. `legal` only for the viewer on move. */
export interface View {
  table: string;
  v: number;
  game: number;
  ruleset: string;
  status: "waiting" | "seated" | "live" | "over";
  timeControl: TimeControl;
  seats: SeatsView;
  ply: number;
  fen: string;
  /** Default: false */
  check?: boolean;
  /** Default: [] */
  moves?: Array<string>;
  /** Default: [] */
  legal?: Array<string>;
  clock: ClockView;
  you?: "white" | "black";
  /** The code to give to the other player; only to the maker, while the table waits. */
  code?: string;
  drawOffer?: OfferView;
  rematchOffer?: OfferView;
  outcome?: OutcomeView;
  now: number;
}

/** Both seats. */
export interface SeatsView {
  white: SeatView;
  black: SeatView;
}

/** Whether a seat is taken, whether its player is away, and when he will be removed. */
export interface SeatView {
  taken: boolean;
  /** Default: false */
  away?: boolean;
  removalAt?: number;
}

/** What is left to each side at `turn_at` (null: no limit in all); when the flag falls. */
export interface ClockView {
  white?: number;
  black?: number;
  turnAt: number;
  flagAt?: number;
  /** The side whose clock runs: `white`, `black`, or absent when none does. */
  runs?: "white" | "black";
}

/** An open offer; answers carry its `v`. */
export interface OfferView {
  by: "white" | "black";
  v: number;
}

/** How a game ended; no winner: a draw, or no result (`*`). */
export interface OutcomeView {
  termination: "checkmate" | "stalemate" | "insufficientMaterial" | "threefold" | "fiftyMoves" | "resignation" | "agreement" | "timeForfeit" | "abandonment" | "aborted" | "closed";
  result: "1-0" | "0-1" | "1/2-1/2" | "*";
  at: number;
  winner?: "white" | "black";
}

/** The answer to `ping`. */
export interface Pong {
  event: "pong";
  re?: string;
  now: number;
}

/** The answer to a `sync` that holds the head already. */
export interface Unchanged {
  event: "unchanged";
  re?: string;
  table: string;
  v: number;
  now: number;
}

/** The table as it stands: the answer to `sync`, and to an action that was done before. */
export interface Shown {
  event: "view";
  re?: string;
  table: string;
  v: number;
  view: View;
}

/**
 * Anything visible but a move, with the view after it.
 *
 * `event`: created, seated, began, drawOffered, drawDeclined, rematchOffered, rematchDeclined,
 * rematched, away, back, ended.
 */
export interface Happening {
  event: "created" | "seated" | "began" | "drawOffered" | "drawDeclined" | "rematchOffered" | "rematchDeclined" | "rematched" | "away" | "back" | "ended";
  re?: string;
  table: string;
  v: number;
  by?: "white" | "black";
  view: View;
}

/** A move; `ply` is the half-moves played before it. `outcome` when it ended the game. */
export interface Moved {
  event: "moved";
  re?: string;
  table: string;
  v: number;
  game: number;
  ply: number;
  by: "white" | "black";
  uci: string;
  san: string;
  fen: string;
  /** Default: false */
  check?: boolean;
  /** Default: [] */
  legal?: Array<string>;
  clock: ClockView;
  drawOffer?: OfferView;
  outcome?: OutcomeView;
  now: number;
}

/** Still there? Answer at once with `sync`. */
export interface Probe {
  event: "probe";
  re?: string;
  table: string;
  v: number;
}

/** Another device took this connection's place; it is about to be closed. */
export interface Replaced {
  event: "replaced";
  re?: string;
  table: string;
}

/** A refusal: a stable `code` with parameters, and words in the connection's language. */
export interface Refused {
  event: "refused";
  re?: string;
  code: "abortTooLate" | "appOutdated" | "badTimeControl" | "busy" | "connectionLost" | "drawTooSoon" | "gameNotOver" | "gameOver" | "illegalMove" | "malformed" | "noFreeCode" | "noSuchOffer" | "notLive" | "notSeated" | "notYourTurn" | "offerDeclined" | "offerStands" | "opponentLeft" | "seatHeld" | "stalePly" | "tableClosed" | "tableFull" | "tableNotFound" | "tooEarly" | "tooLate" | "tooLong" | "tooManyGuesses" | "unknownAction" | "unknownField" | "unknownRuleset";
  notice: string;
  /** Default: {} */
  parameters?: Record<string, string | number>;
  table?: string;
  v?: number;
  view?: View;
}

/** What API Gateway itself sends when the server failed to answer: say it again, same `id`. */
export interface GatewayError {
  message: string;
  connectionId?: string;
  requestId?: string;
  event?: undefined;
}

export type ClientMessage =
  | SayHello
  | Sync
  | Ping
  | CreateTable
  | JoinTable
  | Move
  | Resign
  | Abort
  | OfferDraw
  | AcceptDraw
  | DeclineDraw
  | ClaimFlag
  | OfferRematch
  | AcceptRematch
  | DeclineRematch
  | LeaveTable;

export type ServerMessage =
  | Hello
  | Pong
  | Unchanged
  | Shown
  | Happening
  | Moved
  | Probe
  | Replaced
  | Refused;

export type Frame =
  | ServerMessage
  | GatewayError;
