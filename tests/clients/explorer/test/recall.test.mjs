import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { accessible, caller, enter, picture, scan, service, visit, window } from "../support.mjs";

/** The story of the demo factory: the cells of this lot are in these bikes, and in a battery that was taken out. */
const LOT = "LOT-2604-B";
const UNITS = ["26000010", "26000011", "26000012", "26000013", "26000014", "26000015", "BT-0001"];

const codes = async (page) => (await page.locator('section[aria-labelledby="recall-units"] tbody td:first-child a').allInnerTexts()).sort();

test("the recall of a lot names exactly the units that contain it, with place and state", async () => {
  const { page, finish } = await window();
  await enter(page, "lucia", "recall");
  await scan(page, LOT);
  await page.getByRole("heading", { name: `7 finished units contain ${LOT}` }).waitFor();
  assert.deepEqual(await codes(page), UNITS);
  const row = async (code) => (await page.locator("tr", { has: page.getByRole("link", { name: code, exact: true }) }).innerText()).replace(/\s+/g, " ");
  assert.match(await row("BT-0001"), /in stock.*QUARANTINE › RACK-Q › Q-02/);
  assert.match(await row("26000012"), /in stock.*FINISHED › RACK-F › F-02/);
  assert.match(await row("26000010"), /shipped/);
  const counts = await page.locator(".counts table").innerText();
  assert.match(counts.replace(/\s+/g, " "), /Product shipped in stock BAT-500 0 1 EB-CITY 4 2/);
  await page.getByRole("img", { name: "Units by product and state" }).locator("canvas").waitFor();
  await accessible(page, "recall");
  await picture(page, "recall");
  await finish();
});

test("the answer is a permanent link", async () => {
  const { page, finish } = await window();
  await enter(page, "lucia", "recall");
  await page.locator("#recall-value").fill(LOT);
  await page.getByRole("button", { name: "Find the units" }).click();
  await page.locator("#recall-found").waitFor();
  const address = page.url();
  assert.equal(address, `${service}/#/recall?code=${LOT}`);
  await finish();
  const other = await window();
  await other.page.goto(address);
  await other.page.locator("#username").fill("rita");
  await other.page.locator("#password").fill("tracewright-demo");
  await other.page.keyboard.press("Enter");
  await other.page.locator("#recall-found").waitFor();
  assert.deepEqual(await codes(other.page), UNITS);
  await other.finish();
});

test("units that a part was taken out of are found on demand", async () => {
  const { page, finish } = await window();
  await enter(page, "lucia", `recall?code=${LOT}`);
  await page.locator("#recall-found").waitFor();
  await page.getByLabel("Also units that the part was taken out of").check();
  await page.getByRole("button", { name: "Find the units" }).click();
  await page.locator("tr", { hasText: "26000001" }).getByText("taken out").waitFor();
  assert.deepEqual(await codes(page), ["26000001", ...UNITS]);
  await finish();
});

test("the CSV file holds the same units", async () => {
  const { page, finish } = await window();
  await enter(page, "lucia", `recall?code=${LOT}`);
  await page.locator("#recall-found").waitFor();
  const [kept] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  const [header, ...rows] = (await readFile(await kept.path(), "utf8")).replace("\uFEFF", "").trim().split("\r\n");
  assert.match(header, /^serial_key,serial_code,product_code/);
  assert.deepEqual(rows.map((row) => row.split(",")[1]).sort(), UNITS);
  await finish();
});

test("it starts from a product and a time span, or from a serial whose lots have siblings", async () => {
  const { page, finish } = await window();
  await enter(page, "lucia", "recall");
  await page.locator("#recall-kind").selectOption("product");
  await page.locator("#recall-value").fill("CELL-21700");
  await page.locator("#recall-since").fill("2026-04-01T00:00");
  await page.locator("#recall-until").fill("2026-04-30T00:00");
  await page.getByRole("button", { name: "Find the units" }).click();
  await page.locator("#recall-found").waitFor();
  const all = await codes(page);
  assert.ok(UNITS.every((code) => all.includes(code)), all.join());
  assert.match(page.url(), /from=2026-03-31T22%3A00%3A00.000Z/, "the link holds moments, not the browser's days");
  await visit(page, "recall?serial=eb-10");
  await page.getByRole("heading", { name: "Siblings" }).waitFor();
  const siblings = await page.locator('section[aria-labelledby="recall-siblings"] tbody td:first-child a').allInnerTexts();
  assert.ok(siblings.includes("26000011"), siblings.join());
  await finish();
});

test("it starts from a supplier batch that was recorded with a part", async () => {
  const ada = await caller("ada");
  await ada.post("event", { event_type: "SERIAL_UPDATED", serial_key: "cm-21", serial_data: [{ form_field_key: "supplier-batch", custom_field_key: "remark", label: "Supplier batch", value: "SB-77" }] });
  const { page, finish } = await window();
  await enter(page, "lucia", "recall");
  await page.locator("#recall-kind").selectOption("batch");
  await page.locator("#recall-value").fill("SB-77");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "1 finished unit contains SB-77" }).waitFor();
  assert.deepEqual(await codes(page), ["26000001"]);
  await finish();
});

test("a print has every unit and no controls", async () => {
  const { page, finish } = await window();
  await enter(page, "lucia", `recall?code=${LOT}`);
  await page.locator("#recall-found").waitFor();
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.getByRole("button", { name: "Print" }).isVisible(), false);
  assert.equal(await page.getByRole("navigation").isVisible(), false);
  assert.equal((await codes(page)).length, UNITS.length);
  await finish();
});

test("what reaches nothing says so", async () => {
  const { page, finish } = await window();
  await enter(page, "lucia", "recall?code=NO-SUCH-LOT");
  await page.getByText("No finished unit contains it.").waitFor();
  await accessible(page, "empty recall");
  await finish();
});
