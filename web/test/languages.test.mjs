import assert from "node:assert/strict";
import test from "node:test";
import { languages, sources, texts } from "./sources.mjs";

const english = await texts("en");
const files = (await sources()).filter(({ name }) => !name.startsWith("lang/"));

/** Names of texts that are put together: `t(\`genealogy.${direction}\`)`, `word("state", ..)`, `counted("recall.found", ..)`. */
const stems = files.flatMap(({ text }) => [
  ...[...text.matchAll(/`([\w.-]+\.)\$\{/g)].map(([, stem]) => stem),
  ...[...text.matchAll(/word\("(\w+)"/g)].map(([, group]) => `${group}.`),
  ...[...text.matchAll(/counted\("([\w.]+)"/g)].map(([, stem]) => `${stem}.`),
]);
const named = new Set(files.flatMap(({ text }) => [...text.matchAll(/"([\w.-]+)"/g)].map(([, name]) => name)));

for (const language of await languages()) {
  test(`${language} has every text, and no other`, async () => {
    const own = await texts(language);
    assert.deepEqual(Object.keys(own).sort(), Object.keys(english).sort());
    for (const [name, text] of Object.entries(own)) assert.notEqual(text.trim(), "", name);
  });

  test(`${language} fills in the same values`, async () => {
    const values = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
    const own = await texts(language);
    for (const [name, text] of Object.entries(english)) {
      // "another one" needs no number
      if (!name.endsWith(".one")) assert.deepEqual(values(own[name]), values(text), name);
    }
  });
}

test("every text is used", () => {
  const unused = Object.keys(english).filter((name) => !named.has(name) && !stems.some((stem) => name.startsWith(stem)));
  assert.deepEqual(unused, []);
});

test("every text that is asked for by its name exists", () => {
  for (const { name, text } of files) {
    for (const [, asked] of text.matchAll(/\bt\("([\w.-]+)"/g)) assert.ok(asked in english, `${name} asks for ${asked}`);
    for (const [, asked] of text.matchAll(/\bcounted\("([\w.-]+)"/g)) assert.ok(`${asked}.other` in english && `${asked}.one` in english, `${name} counts ${asked}`);
  }
});

test("components hold no text of their own", () => {
  for (const { name, text } of files.filter(({ name }) => name.endsWith(".svelte"))) {
    const markup = text.replace(/<script[\s\S]*?<\/script>/g, "").replace(/<style[\s\S]*?<\/style>/g, "").replace(/<!--[\s\S]*?-->/g, "");
    // What stands between tags once everything in braces, nested ones too, is taken out.
    let plain = markup;
    for (let before = ""; before !== plain; ) [before, plain] = [plain, plain.replace(/\{[^{}]*\}/g, "")];
    const words = plain.replace(/<[^>]*>/g, " ").match(/\p{L}{2,}/gu) ?? [];
    assert.deepEqual(words.filter((word) => word !== "tracewright"), [], name);
    assert.doesNotMatch(plain, /(aria-label|title|placeholder|alt)="[^"]*\p{L}/u, name);
  }
});
