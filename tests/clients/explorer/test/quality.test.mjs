import assert from "node:assert/strict";
import test from "node:test";
import { accessible, enter, fits, picture, service, visit, window } from "../support.mjs";

const PAGES = [
  "", "?q=FR-00*", "serial/eb-1", "serial/eb-1?view=tree", "serial/eb-1/data", "serial/eb-1/attachments", "serial/eb-1/collaboration", "serial/eb-1/movements", "serial/eb-1/timeline",
  "serial/eb-1/record", "recall", "recall?code=LOT-2604-B", "plant", "record", "aql", "product/battery", "work-order/wo-3", "position/bin-f2", "list/delivery-frames", "task/task-controllers", "issue/issue-voltage",
];

/** Opens a page and waits until nothing on it is on its way. */
async function settled(page, path) {
  await visit(page, path);
  await page.waitForTimeout(400);
  await page.waitForFunction(() => !document.querySelector(".waiting"));
}

const WINDOWS = {
  "light and English": { locale: "en-GB" },
  "dark and Italian": { locale: "it-IT", colorScheme: "dark" },
  "narrow, 360 px": { viewport: { width: 360, height: 740 }, hasTouch: true },
  "wide, 4K": { viewport: { width: 3840, height: 2160 } },
};

for (const [name, options] of Object.entries(WINDOWS)) {
  test(`${name}: every page fits, and axe-core finds nothing against WCAG 2.2 AA`, async () => {
    const { page, finish } = await window(options);
    await enter(page, "ada");
    for (const path of PAGES) {
      await settled(page, path);
      await fits(page, path);
      await accessible(page, `${path} (${name})`);
      await picture(page, `${path.replace(/\W+/g, "-") || "start"}.${name.split(/\W/)[0]}`);
    }
    await finish();
  });
}

test("the browser's language is spoken, and another one on demand, also at the next visit", async () => {
  const { page, finish } = await window({ locale: "it-IT" });
  await page.goto(`${service}/`);
  await page.getByLabel("Nome utente").waitFor();
  await enter(page, "ada", "recall");
  await page.getByRole("heading", { name: "Richiamo" }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), "it");
  await page.getByText("Ada Conti").click();
  await page.getByLabel("Lingua").selectOption("en");
  await page.getByRole("heading", { name: "Recall" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Recall" }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
  await finish();
});

test("times are in the browser's zone, and the zone is shown", async () => {
  for (const [timezoneId, shown] of [["Europe/Rome", "11:10 CEST"], ["America/New_York", "05:10 GMT-4"], ["Asia/Tokyo", "18:10 GMT+9"]]) {
    const { page, finish } = await window({ timezoneId });
    await enter(page, "ada", "serial/eb-1");
    await page.locator("main header time").first().waitFor();
    assert.ok((await page.locator("main header").innerText()).includes(shown), `${timezoneId} shows ${shown}`);
    await page.getByText("Ada Conti").click();
    await page.getByText(timezoneId).waitFor();
    await finish();
  }
});

test("the colours follow the system, or the choice of the person", async () => {
  const { page, finish } = await window({ colorScheme: "dark" });
  await enter(page, "ada");
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await background();
  await page.getByText("Ada Conti").click();
  await page.getByLabel("Colours").selectOption("light");
  assert.notEqual(await background(), dark);
  await page.reload();
  await page.locator("main#main").waitFor();
  assert.notEqual(await background(), dark, "also at the next visit");
  await finish();
});

test("a page that waits says so; one without connection can be tried again", async () => {
  const { page, finish } = await window();
  await enter(page, "ada");
  let answer;
  await page.route("**/work-order?*", (route) => new Promise((done) => { answer = () => { void route.continue(); done(); }; }));
  await visit(page, "plant");
  await page.getByRole("status", { name: "Loading…" }).first().waitFor();
  await accessible(page, "waiting page");
  answer();
  await page.getByText("WO26000003").first().waitFor();
  await page.unroute("**/work-order?*");
  await page.route("**/explore/recall?*", (route) => route.abort("connectionrefused"));
  await visit(page, "recall?code=LOT-2604-B");
  await page.getByRole("alert").getByText("No connection").waitFor();
  await accessible(page, "page without connection");
  await page.unroute("**/explore/recall?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator("#recall-found").waitFor();
  await finish();
});

test("the whole way to an answer goes by keyboard", async () => {
  const { page, finish } = await window();
  await enter(page, "ada", "serial/eb-1?view=tree");
  await page.getByRole("button", { name: "Open BT-0002" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("CM-2001").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("LOT-2604-B");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "LOT-2604-B" }).waitFor();
  await page.getByRole("link", { name: "Recall: which units contain it?" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("#recall-found").waitFor();
  await finish();
});
