// build.mjs [FOLDER]: builds the explorer into web/dist, or into another folder, and weighs what a first visit loads.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const web = fileURLToPath(new URL("..", import.meta.url));
const outDir = process.argv[2] ?? `${web}dist`;
await build({ root: web, logLevel: "warn", build: { outDir, emptyOutDir: true } });
execFileSync(process.execPath, [fileURLToPath(new URL("size.mjs", import.meta.url)), outDir], { stdio: "inherit" });
