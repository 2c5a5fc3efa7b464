/**
 * The page: one client, one of three screens. Everything that is shown follows from the client's
 * view; nothing here knows how messages travel.
 */

import { readConfig } from "./config.js";
import { recall, remember } from "./memory.js";
import { HomeScreen } from "./screens/home.js";
import { PlayScreen } from "./screens/play.js";
import { Trouble } from "./screens/trouble.js";
import { showToast } from "./screens/toast.js";
import { WaitingScreen } from "./screens/waiting.js";
import { TabiyaClient } from "./tabiya-client.js";
import { chosenLanguage, loadTexts, rememberLanguage } from "./texts.js";

const VERSION = "1.0.0";
const LEFT_KEY = "tabiya.left";

const language = chosenLanguage();
const [say, config] = await Promise.all([loadTexts(language), readConfig()]);
const client = new TabiyaClient({
  url: config.websocket,
  absenceMs: config.absenceMs,
  version: VERSION,
  language,
});

const screens = {
  home: new HomeScreen(document.querySelector("#home"), client, say),
  waiting: new WaitingScreen(document.querySelector("#waiting"), client, say),
  play: new PlayScreen(document.querySelector("#play"), client, say, { onLeave: leave }),
};

/**
 * A finished game that the player turned his back on, or a table that he knows is closed; another
 * game at that table is a new one.
 */
let left = recall(LEFT_KEY);

/** The game that was seen in play last, and whether the connection was lost since. */
let played = null;
let wasParted = false;

function leave() {
  turnFrom(client.view);
  show();
}

function turnFrom(view) {
  left = gameOf(view);
  remember(LEFT_KEY, left);
}

function gameOf(view) {
  return `${view.table} ${view.game}`;
}

function screenFor(view) {
  if (!view?.you || isClosed(view)) return "home";
  if (view.status === "over" && gameOf(view) === left) return "home";
  return view.status === "waiting" ? "waiting" : "play";
}

function isClosed(view) {
  return view.outcome?.termination === "closed";
}

/** What ended while nobody looked is said in words when he does, once. */
function tellEnding(view, message) {
  const game = gameOf(view);
  if (isClosed(view) && game !== left) {
    showToast(say(message.event === "ended" ? "reason.closed" : "link.closed_away"));
    turnFrom(view);
  } else if (wasParted && view.status === "over" && game === played) {
    showToast(say("link.ended_away"));
  }
  played = view.status === "live" ? game : null;
  wasParted = false;
}

function show(message = null) {
  const name = screenFor(client.view);
  for (const [each, screen] of Object.entries(screens)) screen.root.hidden = each !== name;
  screens[name].show(client.view, message);
  document.title = screens[name].title ?? "Tabiya";
}

/** A link to a table is this page with the code behind `#`. It is used once. */
async function followLink() {
  const code = location.hash.slice(1);
  if (!code) return;
  history.replaceState(null, "", location.pathname + location.search);
  if (client.view?.code === code.toUpperCase()) return;
  await client.joinTable(code);
}

document.querySelector("#language").value = language;
document.querySelector("#language").addEventListener("change", (event) => {
  rememberLanguage(event.target.value);
  location.reload();
});
new Trouble(document.querySelector("#trouble"), client, say);
client.addEventListener("view", ({ detail }) => {
  if (client.view) tellEnding(client.view, detail);
  show(detail);
});
client.addEventListener("connection", () => {
  wasParted ||= client.connection.state !== "open";
});
client.addEventListener("refused", ({ detail }) => showToast(detail.notice));
client.addEventListener(
  "hello",
  () => {
    if (!client.keepsIdentity) showToast(say("link.not_kept"));
    followLink();
  },
  { once: true },
);
window.addEventListener("hashchange", followLink);
// The network goes and comes; the page comes back from behind another, or from its sleep.
window.addEventListener("offline", () => client.doubt());
for (const change of ["online", "pageshow"]) window.addEventListener(change, () => client.wake());
document.addEventListener("resume", () => client.wake());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") client.wake();
});
client.connect();
// Who was never here has no table to come back to: the page need not wait for the answer.
if (!client.isKnown) show();
