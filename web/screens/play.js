/** The table in play, and after: board, both strips, what one may do, how it ended. */

import { Board } from "../board/board.js";
import { inWords, kingSquare, parseFen, START_FENS, withMove } from "../board/fen.js";
import { pieceName } from "../board/pieces.js";
import { sideOf } from "../board/fen.js";
import { askPromotion } from "../board/promotion.js";
import { Actions } from "./actions.js";
import { Strip } from "./strip.js";
import { announce, showToast } from "./toast.js";
import { opponent, verdict } from "./verdict.js";

const TICK_MS = 100;
const SLOW_MS = 1_000;

export class PlayScreen {
  title = null;
  #client;
  #say;
  #board;
  #actions;
  #strips;
  #view = null;
  /** The last that was seen of a game while it was played. */
  #before = null;
  /** One's own move on its way: `{uci, view, at}`; it is shown as if it had been played. */
  #pending = null;

  constructor(root, client, say, { onLeave }) {
    this.root = root;
    this.#client = client;
    this.#say = say;
    const boardRoot = root.querySelector("#board");
    boardRoot.setAttribute("aria-label", say("play.board"));
    this.#board = new Board(boardRoot, {
      onMove: (choice, manner) => this.#choose(choice, manner),
      label: (square, man) => this.#label(square, man),
    });
    this.#actions = new Actions(root, client, say, { onLeave });
    this.#strips = {
      theirs: new Strip(root.querySelector("#theirs"), say),
      ours: new Strip(root.querySelector("#ours"), say),
    };
    client.addEventListener("connection", () => this.#tick());
    setInterval(() => this.#tick(), TICK_MS);
  }

  show(view, message) {
    if (this.#pending && this.#pending.view !== view) this.#settle(view);
    this.#view = view;
    if (view.status === "live") this.#before = view;
    this.#draw();
    this.#actions.show(view);
    this.#listMoves(view);
    this.#speak(view, message);
    this.title = this.#titleOf(view);
    this.#tick();
  }

  // ---- moving

  /** A move is shown at once; the server's answer confirms it or takes it back. */
  async #choose({ from, to, letters }, manner) {
    const view = this.#view;
    let letter = "";
    if (letters.length) {
      const dialog = document.querySelector("#promotion");
      letter = await askPromotion(dialog, letters, view.you, this.#say);
      if (!letter || this.#view.ply !== view.ply) return;
    }
    const uci = from + to + letter;
    this.#pending = { uci, view, at: Date.now() };
    this.#draw(manner);
    const answer = await this.#client.move(uci);
    if (answer?.event !== "refused" || this.#pending?.uci !== uci) return;
    this.#pending = null;
    this.#draw();
  }

  /** Another view has come while a move is on its way: it stays pending only in its position. */
  #settle(view) {
    const { table, game, ply } = this.#pending.view;
    const isSame = view.table === table && view.game === game && view.ply === ply;
    if (isSame && view.status === "live") this.#pending.view = view;
    else this.#pending = null;
  }

  // ---- drawing

  #draw(manner) {
    const view = this.#view;
    const uci = this.#pending?.uci;
    const stored = parseFen(view.fen);
    const position = uci ? withMove(stored, uci) : stored;
    this.#board.show(
      {
        position,
        orientation: view.you,
        legal: uci ? [] : (view.legal ?? []),
        lastMove: uci ?? view.moves?.at(-1) ?? null,
        check: view.check && !uci ? kingSquare(position) : null,
      },
      manner,
    );
  }

  #listMoves(view) {
    const list = this.root.querySelector("#moves");
    const start = START_FENS[view.ruleset];
    const words = start ? inWords(start, view.moves ?? []) : (view.moves ?? []);
    list.replaceChildren(...pairs(words));
    list.dataset.empty = this.#say("play.no_moves");
    list.scrollTop = list.scrollHeight;
  }

  #tick() {
    const view = this.#view;
    if (!view || this.root.hidden) return;
    const clocks = this.#client.clocks();
    const serverNow = this.#client.serverNow();
    const theirs = opponent(view);
    this.#strips.theirs.show(view, theirs, clocks[theirs], serverNow);
    this.#strips.ours.show(view, view.you, clocks[view.you], serverNow);
    this.#write(this.root.querySelector("#verdict"), this.#situation(view, serverNow));
    for (const part of this.root.querySelectorAll(".table, #offer, #actions")) {
      part.inert = this.#isElsewhere();
    }
  }

  /** Another window or device plays on: what is shown here is out of date, and of no use. */
  #isElsewhere() {
    return this.#client.stopped === "replaced";
  }

  #situation(view, serverNow) {
    if (this.#isElsewhere()) return { title: this.#say("play.elsewhere"), detail: "" };
    const isSlow = this.#pending && Date.now() - this.#pending.at > SLOW_MS;
    if (isSlow) return { title: this.#say("play.sending"), detail: "" };
    const isSent = Boolean(this.#pending);
    return verdict(view, this.#say, { isSent, serverNow, before: this.#before });
  }

  /** Only on change: a screen reader reads every writing anew. */
  #write(root, { title, detail, tone = "" }) {
    const key = `${title}|${detail}|${tone}`;
    if (root.dataset.key === key) return;
    root.dataset.key = key;
    root.dataset.tone = tone;
    const heading = Object.assign(document.createElement("h2"), { textContent: title });
    const text = Object.assign(document.createElement("p"), { textContent: detail });
    root.replaceChildren(heading, ...(detail ? [text] : []));
  }

  #speak(view, message) {
    if (message?.by === view.you) return;
    if (message?.event === "back") showToast(this.#say("play.back"));
    if (message?.event !== "moved") return;
    const side = this.#say(`side.${message.by}`);
    announce(this.#say("play.moved", { side, move: message.san }));
  }

  #titleOf(view) {
    if (view.status !== "live") return null;
    return view.legal?.length ? `● ${this.#say("play.your_move")} – Tabiya` : null;
  }

  #label(square, man) {
    if (!man) return this.#say("play.empty", { square });
    const piece = this.#say(`piece.${pieceName(man)}`);
    return this.#say("play.square", { square, man: this.#say(`man.${sideOf(man)}`, { piece }) });
  }
}

/** List items of two half-moves each. */
function pairs(words) {
  const items = [];
  for (let ply = 0; ply < words.length; ply += 2) {
    const item = document.createElement("li");
    for (const word of words.slice(ply, ply + 2)) {
      item.append(Object.assign(document.createElement("span"), { textContent: word }));
    }
    items.push(item);
  }
  return items;
}
