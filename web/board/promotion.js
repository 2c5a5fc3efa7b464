/** The question what a pawn becomes: a dialog with the men that the legal moves name. */

import { pieceImage, pieceName } from "./pieces.js";

const ORDER = "qrbn";

/** The chosen letter, or null when the player thought better of it. */
export function askPromotion(dialog, letters, side, say) {
  const sorted = [...letters].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  const buttons = sorted.map((letter) => {
    const button = document.createElement("button");
    button.value = letter;
    button.className = "promotion-choice";
    button.setAttribute("aria-label", say(`piece.${pieceName(letter)}`));
    button.append(pieceImage(letter, side));
    return button;
  });
  dialog.querySelector(".promotion-choices").replaceChildren(...buttons);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue || null), { once: true });
  });
}
