/** Every language says everything, with the same names in it. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const WEB = new URL("../../web/", import.meta.url);
const CATALOGS = Object.fromEntries(
  ["en", "nl", "et"].map((language) => [language, JSON.parse(read(`texts/${language}.json`))]),
);
/** The client has no words for people: what it says goes to the server. */
const SOURCES = readdirSync(WEB, { recursive: true }).filter(
  (name) => /\.(js|html)$/.test(name) && !/client/.test(name),
);

function read(name) {
  return readFileSync(new URL(name, WEB), "utf8");
}

/** Keys written out in the page; those put together from parts are named by their first part. */
function keysUsed() {
  const keys = new Set();
  for (const text of SOURCES.map(read)) {
    const named = text.matchAll(/(?:data-text="|\b(?:say|button|asking)\(")([a-z_.]+)"/g);
    for (const [, key] of named) keys.add(key);
  }
  return keys;
}

for (const language of ["nl", "et"]) {
  test(`${language} has the keys of English and the same names in each text`, () => {
    const names = (catalog) =>
      Object.fromEntries(
        Object.entries(catalog).map(([key, text]) => [
          key,
          [...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort(),
        ]),
      );
    assert.deepEqual(names(CATALOGS[language]), names(CATALOGS.en));
  });
}

test("every text that the page names is there", () => {
  const used = keysUsed();
  assert.ok(used.size > 30);
  assert.deepEqual([...used].filter((key) => !(key in CATALOGS.en)), []);
});

test("every way a game can end has its words", () => {
  const outcome = readFileSync(new URL("../shared/game/outcome.py", WEB), "utf8");
  const terminations = [...outcome.matchAll(/^ {4}[A-Z_]+ = "(\w+)"$/gm)].map(([, name]) => name);
  assert.ok(terminations.includes("checkmate"));
  assert.deepEqual(terminations.filter((name) => !(`reason.${name}` in CATALOGS.en)), []);
});
