/** What a player may do beside moving: resign, abort, draws, rematches, leaving a finished game. */

const FIRST_PLIES = 2;

export class Actions {
  #client;
  #say;
  #onLeave;
  #row;
  #offer;
  #offerText;
  #offerButtons;

  constructor(root, client, say, { onLeave }) {
    this.#client = client;
    this.#say = say;
    this.#onLeave = onLeave;
    this.#row = root.querySelector("#actions");
    this.#offer = root.querySelector("#offer");
    this.#offerText = root.querySelector("#offer-text");
    this.#offerButtons = root.querySelector("#offer-buttons");
  }

  show(view) {
    const offer = this.#offerOf(view);
    this.#offer.hidden = offer === null;
    if (offer) {
      this.#offerText.textContent = offer.text;
      refill(this.#offerButtons, offer.text, offer.buttons);
    }
    refill(this.#row, view.status, this.#buttonsOf(view));
  }

  #offerOf(view) {
    if (view.drawOffer) return this.#drawOffer(view);
    return view.rematchOffer ? this.#rematchOffer(view) : null;
  }

  #drawOffer(view) {
    if (view.drawOffer.by === view.you) return { text: this.#say("play.draw_offered"), buttons: [] };
    const buttons = [
      this.#button("play.accept", () => this.#client.acceptDraw(), "primary"),
      this.#button("play.decline", () => this.#client.declineDraw()),
    ];
    return { text: this.#say("play.draw_offer"), buttons };
  }

  #rematchOffer(view) {
    if (view.rematchOffer.by === view.you) {
      const back = this.#button("play.take_back_offer", () => this.#client.declineRematch());
      return { text: this.#say("play.rematch_offered"), buttons: [back] };
    }
    const buttons = [
      this.#button("play.accept", () => this.#client.acceptRematch(), "primary"),
      this.#button("play.decline", () => this.#client.declineRematch()),
    ];
    return { text: this.#say("play.rematch_offer"), buttons };
  }

  #buttonsOf(view) {
    if (view.status === "over") return this.#afterwards(view);
    if (view.status !== "live") return [this.#button("waiting.close", () => this.#client.leaveTable())];
    if (view.ply < FIRST_PLIES) return [this.#asking("play.abort", () => this.#client.abort())];
    const draw = this.#button("play.offer_draw", () => this.#client.offerDraw());
    draw.disabled = Boolean(view.drawOffer);
    return [draw, this.#asking("play.resign", () => this.#client.resign())];
  }

  #afterwards(view) {
    const leave = this.#button("play.new", this.#onLeave);
    if (view.rematchOffer) return [leave];
    return [this.#button("play.rematch", () => this.#client.offerRematch(), "primary"), leave];
  }

  #button(key, act, kind = "") {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: kind, textContent: this.#say(key) });
    button.addEventListener("click", act);
    return button;
  }

  /** What cannot be taken back is asked twice. */
  #asking(key, act) {
    return this.#button(key, async () => {
      if (await confirmed(this.#say(`${key}_question`), this.#say(key))) act();
    });
  }
}

/** New buttons only where others are due: a button must not be swapped under a finger. */
function refill(row, purpose, buttons) {
  const due = [purpose, ...buttons.map((each) => `${each.textContent} ${each.disabled}`)].join("|");
  if (row.dataset.due === due) return;
  row.dataset.due = due;
  row.replaceChildren(...buttons);
}

function confirmed(question, yes) {
  const dialog = document.querySelector("#confirm");
  dialog.querySelector("h2").textContent = question;
  dialog.querySelector("#confirm-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
