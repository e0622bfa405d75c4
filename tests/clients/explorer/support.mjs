// What the tests of the explorer share: a browser, a logged-in page, and the service beside it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after } from "node:test";
import { chromium } from "playwright-core";

export const { URL: service, BROWSER, SCREENSHOTS } = process.env;
const PASSWORD = "tracewright-demo";
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const browser = await chromium.launch({
  executablePath: BROWSER,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
after(() => browser.close());

/**
 * A window of its own, with nobody logged in. Whatever it does, it may ask no other host, break no rule of the page's policy,
 * leave no error behind and make no request that fails, but for those that a test brings about on purpose and names in `refused`
 * as "403 GET /path"; `finish` looks at that.
 */
export async function window({ refused = [], ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 1000 }, locale: "en-GB", timezoneId: "Europe/Rome", acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const wrong = [];
  // A PDF is drawn by a viewer inside the browser, which has addresses of its own.
  page.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith(service) && !/^(data|blob|chrome|chrome-extension):/.test(address)) wrong.push(`asked another host: ${address}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(String(error)));
  context.on("response", (response) => {
    if (response.status() < 400) return;
    const path = new URL(response.url()).pathname.replace(/^\/api(?=\/)/, "");
    const failed = `${response.status()} ${response.request().method()} ${path}`;
    if (!refused.includes(failed)) wrong.push(`failed request: ${failed}`);
  });
  const finish = async () => {
    await context.close();
    assert.deepEqual(wrong, []);
  };
  return { page, context, finish };
}

/** Opens a page of the explorer and logs in there. */
export async function enter(page, username, path = "", password = PASSWORD) {
  await page.goto(`${service}/#/${path}`);
  await page.locator("#username").fill(username);
  await page.locator("#password").fill(password);
  await page.keyboard.press("Enter");
  await page.locator("main#main").waitFor();
}

/** Goes to another page of the explorer. */
export async function visit(page, path) {
  await page.goto(`${service}/#/${path}`);
}

/** Types like a scanner: at once, with Enter behind it. The frame of a page is there before its field has the cursor. */
export async function scan(page, code) {
  await page.locator("input:focus").waitFor();
  await page.keyboard.type(code, { delay: 1 });
  await page.keyboard.press("Enter");
}

/** What axe-core finds against WCAG 2.2 A and AA. The page's policy forbids scripts of others, so axe comes as the debugger's. */
export async function accessible(page, where) {
  // A movement of colours under way would be measured half done.
  await page.waitForTimeout(150);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], iframes: false }),
  );
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`),
    [],
    `axe-core at ${where}`,
  );
}

/** Nothing stands out to the right of a narrow window. */
export async function fits(page, where) {
  const [content, width] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(content <= width, `${where} is ${content} wide in a window of ${width}`);
}

/** Calls of the API beside the explorer: the token of a user, and requests with it. */
export async function caller(username) {
  const form = new URLSearchParams({ username, password: PASSWORD });
  const { access_token: token } = await (await fetch(`${service}/api/auth`, { method: "POST", body: form })).json();
  const headers = { Authorization: `Bearer ${token}` };
  const answer = async (response) => {
    const text = await response.text();
    assert.ok(response.ok, `${response.url}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const send = async (method, path, body) =>
    answer(await fetch(`${service}/api/${path}`, { method, headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) }));
  return {
    get: async (path) => answer(await fetch(`${service}/api/${path}`, { headers })),
    post: (path, body) => send("POST", path, body),
    put: (path, body) => send("PUT", path, body),
    upload: async (path, form) => answer(await fetch(`${service}/api/${path}`, { method: "POST", headers, body: form })),
  };
}

/** Keeps a picture of the page where somebody wants to look at it. */
export async function picture(page, name) {
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png` });
}
