import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// While the explorer is worked on, a running service answers everything that is not a file of the explorer.
const service = process.env.TRACEWRIGHT_URL ?? "http://127.0.0.1:8000";
const proxy = { "^/(?!$|\\?|index.html|assets/|favicon|@|src/|node_modules/)": { target: service, changeOrigin: true } };

export default defineConfig({
  base: "./",
  plugins: [svelte()],
  build: {
    target: "es2022",
    // The policy of the served page allows no inline script and no data: script; everything is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: "manifest.json",
  },
  server: { proxy },
  preview: {
    proxy,
    // As the service answers, so that a built page is tried under its real policy.
    headers: {
      "Content-Security-Policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; " +
        "frame-src blob: 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    },
  },
});
