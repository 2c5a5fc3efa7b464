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
const client = new TabiyaClient({ url: config.websocket, version: VERSION, language });

const screens = {
  home: new HomeScreen(document.querySelector("#home"), client, say),
  waiting: new WaitingScreen(document.querySelector("#waiting"), client, say),
  play: new PlayScreen(document.querySelector("#play"), client, say, { onLeave: leave }),
};

/** A finished game that the player turned his back on; another game at that table is a new one. */
let left = recall(LEFT_KEY);

function leave() {
  left = gameOf(client.view);
  remember(LEFT_KEY, left);
  show();
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
  if (client.view && isClosed(client.view) && detail?.event === "ended") {
    showToast(say("reason.closed"));
  }
  show(detail);
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
window.addEventListener("online", () => client.wake());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") client.wake();
});
client.connect();
// Who was never here has no table to come back to: the page need not wait for the answer.
if (!client.isKnown) show();
