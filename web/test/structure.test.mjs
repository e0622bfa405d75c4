import assert from "node:assert/strict";
import test from "node:test";
import { sources } from "./sources.mjs";

const files = await sources();
const lines = (text) => text.split("\n").length;

test("a file has fewer than 200 lines", () => {
  assert.deepEqual(files.filter(({ text }) => lines(text) >= 200).map(({ name }) => name), []);
});

test("nothing calls the service but the generated client", () => {
  for (const { name, text } of files) assert.doesNotMatch(text, /\bfetch\(|XMLHttpRequest|sendBeacon|WebSocket/, name);
  const streams = files.filter(({ text }) => text.includes("new EventSource")).map(({ name }) => name);
  assert.deepEqual(streams, ["api/live.ts"], "streams are opened in one place");
});

test("drawing is apart from loading: components under pages call no operation", () => {
  for (const { name, text } of files.filter(({ name }) => name.endsWith(".svelte"))) assert.doesNotMatch(text, /\bapi\.(GET|POST|PUT|PATCH|DELETE)\(/, name);
});

test("texts of the database stay texts: no markup is made of strings", () => {
  for (const { name, text } of files) assert.doesNotMatch(text, /\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/, name);
});

test("the token is kept in the tab's session alone", () => {
  const kept = files.flatMap(({ name, text }) => [...text.matchAll(/localStorage\.setItem\((\w+)/g)].map(() => name));
  assert.deepEqual([...new Set(kept)].filter((name) => !["lang/index.svelte.ts", "lib/theme.svelte.ts", "pages/aql/saved.svelte.ts"].includes(name)), []);
  for (const { name, text } of files) assert.doesNotMatch(text, /document\.cookie|indexedDB.*token/, name);
});

test("no address of another host", () => {
  for (const { name, text } of files) assert.doesNotMatch(text.replaceAll("http://www.w3.org/", ""), /https?:\/\/\w/, name);
});
