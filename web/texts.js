/**
 * Words in the player's language: JSON catalogs with `{name}` in their texts, and one/other forms
 * chosen by `n`. English, Dutch and Estonian share that rule.
 */

import { recall, remember } from "./memory.js";

const LANGUAGES = ["en", "nl", "et"];
const KEY = "tabiya.language";

/** The language chosen before, or the first of the browser's that there is. */
export function chosenLanguage() {
  const wanted = [recall(KEY), ...navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())];
  return wanted.find((language) => LANGUAGES.includes(language)) ?? "en";
}

/** Where storage is forbidden the browser's own language goes on to hold. */
export function rememberLanguage(language) {
  remember(KEY, language);
}

/** `say(key, values)` in that language; also fills every `data-text` of the document. */
export async function loadTexts(language) {
  const answer = await fetch(new URL(`texts/${language}.json`, import.meta.url));
  const catalog = await answer.json();
  const say = (key, values = {}) => {
    const entry = catalog[key];
    if (entry === undefined) throw new Error(`no text: ${key} (${language})`);
    const text = typeof entry === "string" ? entry : entry[values.n === 1 ? "one" : "other"];
    return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  };
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-text]")) {
    element.textContent = say(element.dataset.text);
  }
  return say;
}
