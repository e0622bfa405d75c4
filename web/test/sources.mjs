// The sources of the explorer, for the tests that read them.
import { readdir, readFile } from "node:fs/promises";

const root = new URL("../src/", import.meta.url);

/** Every source file but the generated types, with its text. */
export async function sources() {
  const names = (await readdir(root, { recursive: true })).filter((name) => /\.(svelte|ts|css)$/.test(name) && name !== "api/schema.d.ts");
  return Promise.all(names.sort().map(async (name) => ({ name, text: await readFile(new URL(name, root), "utf8") })));
}

/** The texts of a language. */
export async function texts(language) {
  return JSON.parse(await readFile(new URL(`lang/${language}.json`, root), "utf8"));
}

/** The languages there are. */
export async function languages() {
  return (await readdir(new URL("lang/", root))).filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5));
}
