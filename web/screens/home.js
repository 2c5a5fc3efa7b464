/** Where nobody sits yet: make a table, or join one by its code. */

import { pieceImage } from "../board/pieces.js";
import { describe } from "../clockface.js";

const MINUTE = 60_000;
/** The first is the server's own default. */
const TIMES = [
  { totalMs: 15 * MINUTE, perMoveMs: MINUTE, incrementMs: 0 },
  { totalMs: 10 * MINUTE, perMoveMs: null, incrementMs: 5_000 },
  { totalMs: 5 * MINUTE, perMoveMs: null, incrementMs: 3_000 },
  { totalMs: 3 * MINUTE, perMoveMs: null, incrementMs: 0 },
  { totalMs: null, perMoveMs: 2 * MINUTE, incrementMs: 0 },
  { totalMs: null, perMoveMs: null, incrementMs: 0 },
];
const COLOURS = ["white", "random", "black"];

export class HomeScreen {
  title = null;

  constructor(root, client, say) {
    this.root = root;
    const times = TIMES.map((control, index) => timeChoice(control, index, say));
    root.querySelector("#times").replaceChildren(...times);
    const colours = COLOURS.map((colour) => colourChoice(colour, say));
    root.querySelector("#colours").replaceChildren(...colours);
    whenSent(root.querySelector("#create"), (form) => {
      const { time, colour } = Object.fromEntries(new FormData(form));
      return client.createTable({ timeControl: TIMES[Number(time)], colour });
    });
    whenSent(root.querySelector("#join"), (form) => client.joinTable(form.code.value.trim()));
  }

  show() {}
}

/** The form is busy until its answer is here, so that nobody makes two tables. */
function whenSent(form, send) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    const answer = await send(form);
    button.disabled = false;
    if (answer?.event !== "refused") form.reset();
  });
}

function timeChoice(control, index, say) {
  const { title, detail } = describe(control, say);
  const words = [element("strong", title), element("small", detail)];
  return choice("time", String(index), index === 0, words);
}

function colourChoice(colour, say) {
  const sides = colour === "random" ? ["white", "black"] : [colour];
  const pictures = element("span", "");
  pictures.className = "pictures";
  pictures.append(...sides.map((side) => pieceImage("k", side)));
  const words = [pictures, element("small", say(`colour.${colour}`))];
  return choice("colour", colour, colour === "random", words);
}

function choice(name, value, checked, words) {
  const label = element("label", "");
  label.className = "choice";
  const input = Object.assign(document.createElement("input"), { type: "radio", name, value });
  input.defaultChecked = checked;
  label.append(input, ...words);
  return label;
}

function element(tag, text) {
  return Object.assign(document.createElement(tag), { textContent: text });
}
