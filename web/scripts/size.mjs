// size.mjs [FOLDER]: prints what a first visit loads, compressed, and fails above the limit. What a page loads on demand is listed after it.
import { readdir, readFile, rm } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

/** What the first load may weigh, compressed, in kB: a tablet on a plant's wireless network shows it within a second. */
const LIMIT_KB = 300;

const dist = pathToFileURL(`${process.argv[2] ?? fileURLToPath(new URL("../dist", import.meta.url))}/`);
const weigh = async (name) => gzipSync(await readFile(new URL(name, dist))).length;
const kb = (bytes) => (bytes / 1000).toFixed(1).padStart(7);

// The list of what loads what serves this figure alone, and is not served.
const manifest = JSON.parse(await readFile(new URL("manifest.json", dist), "utf8"));
await rm(new URL("manifest.json", dist));
const first = new Set(["index.html"]);
const follow = (name) => {
  const chunk = manifest[name];
  if (first.has(chunk.file)) return;
  first.add(chunk.file);
  for (const css of chunk.css ?? []) first.add(css);
  for (const next of chunk.imports ?? []) follow(next);
};
follow("index.html");

let total = 0;
for (const name of first) total += await weigh(name);
for (const name of await readdir(new URL("assets/", dist))) {
  if (!first.has(`assets/${name}`)) console.log(`${kb(await weigh(`assets/${name}`))} kB on demand: ${name}`);
}
console.log(`${kb(total)} kB first load, compressed (limit ${LIMIT_KB} kB): ${[...first].join(", ")}`);
if (total > LIMIT_KB * 1000) {
  console.error("the first load is too heavy");
  process.exit(1);
}
