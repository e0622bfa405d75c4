import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { accessible, caller, enter, picture, visit, window } from "../support.mjs";

const lines = (page, section) => page.locator(`section[aria-labelledby="tree-${section}"] .line`).allInnerTexts().then((texts) => texts.map((text) => text.replace(/\s+/g, " ").trim()));

test("the header says what it is, its state, place, order and release", async () => {
  const { page, finish } = await window();
  await enter(page, "marco", "serial/eb-1");
  const header = page.locator("main header");
  await header.getByRole("heading", { name: "26000001" }).waitFor();
  const text = (await header.innerText()).replace(/\s+/g, " ");
  for (const part of ["EB-CITY", "City e-bike, 28 inch", "in stock", "released", "HALL-1 › FINISHED › RACK-F › F-02", "WO26000001", "SPRING", "Released 04 May 2026, 11:10 CEST", "Created 04 May 2026, 09:10 CEST"]) {
    assert.ok(text.includes(part), `${part} in ${text}`);
  }
  await finish();
});

test("the tree shows components, replaced and extra ones, and opens on demand", async () => {
  const { page, finish } = await window();
  await enter(page, "marco", "serial/eb-1?view=tree");
  await page.getByText("BT-0002").waitFor();
  assert.deepEqual(await lines(page, "down"), [
    "BT-0001 BAT-500 · Battery pack 500 Wh replaced", "BT-0002 BAT-500 · Battery pack 500 Wh", "CT-0001 CTL-36 · Motor controller 36 V",
    "FR-0001 FRM-ALU · Aluminium frame, size M", "MO-0001 MOT-250 · Hub motor 250 W", "DS-0001 DSP-LCD · Display, accessory not in the bill of materials",
  ]);
  await page.getByRole("button", { name: "Open BT-0002" }).click();
  await page.getByText("CM-2001").waitFor();
  await page.getByRole("button", { name: "Open BT-0001" }).click();
  await page.getByText("CM-1001").waitFor();
  await accessible(page, "tree");
  await finish();
});

test("expected components that are missing, and such that are not confirmed, are marked", async () => {
  const { page, finish } = await window();
  await enter(page, "marco", "serial/eb-2?view=tree");
  await page.getByText("BT-0003").waitFor();
  const onBench = await lines(page, "down");
  assert.ok(onBench.includes("BT-0003 BAT-500 · Battery pack 500 Wh not confirmed"), onBench.join("; "));
  await visit(page, "serial/eb-3?view=tree");
  await page.getByText("FR-0003").waitFor();
  const begun = await lines(page, "down");
  for (const part of ["BAT-500 · Battery pack 500 Wh", "CTL-36 · Motor controller 36 V", "MOT-250 · Hub motor 250 W"]) assert.ok(begun.includes(`missing ${part}`), begun.join("; "));
  await finish();
});

test("upwards it leads from a part to the unit, level by level", async () => {
  const { page, finish } = await window();
  await enter(page, "marco", "serial/cm-21?view=tree");
  await page.locator('section[aria-labelledby="tree-up"]').getByText("BT-0002").waitFor();
  assert.deepEqual(await lines(page, "up"), ["BT-0002 BAT-500 · Battery pack 500 Wh"]);
  await page.getByRole("button", { name: "Where used: one level more" }).click();
  await page.locator('section[aria-labelledby="tree-up"]').getByText("26000001").waitFor();
  assert.equal((await lines(page, "up")).length, 2);
  await finish();
});

test("the graph draws the same units, and opens further ones", async () => {
  const { page, finish } = await window();
  await enter(page, "marco", "serial/eb-1");
  const graph = page.locator(".canvas");
  await graph.locator("canvas").first().waitFor();
  assert.equal(await graph.getAttribute("data-nodes"), "7");
  await page.getByRole("button", { name: "Open all components" }).click();
  await page.waitForFunction(() => Number(document.querySelector(".canvas").dataset.nodes) > 11);
  await accessible(page, "graph");
  await picture(page, "genealogy");
  await finish();
});

test("a graph of thousands of units is drawn and follows the hand", async (t) => {
  const { page, finish } = await window();
  await enter(page, "marco");
  // A unit of 3,000 parts, told by the service's own form of answer.
  const children = Array.from({ length: 3000 }, (_, at) => ({ serial_key: `part-${at}`, serial_code: `P-${at}`, product_key: "p", product_code: "PART", product_description: null, replaced: false, confirmed: true, extra_bom: false, children: [] }));
  await page.route("**/serial-hierarchy?*", (route) => route.fulfill({ json: [{ serial_key: "eb-1", serial_code: "26000001", product_key: "ebike", product_code: "EB-CITY", product_description: null, replaced: false, confirmed: true, extra_bom: false, children }] }));
  await visit(page, "serial/eb-1");
  await page.waitForFunction(() => document.querySelector(".canvas")?.dataset.nodes === "3001");
  await page.waitForTimeout(1000);
  // Frames drawn while the graph is dragged: a page that hangs draws none.
  const box = await page.locator(".canvas").boundingBox();
  await page.evaluate(() => {
    globalThis.frames3 = 0;
    const count = () => { globalThis.frames3 += 1; requestAnimationFrame(count); };
    requestAnimationFrame(count);
  });
  await page.mouse.move(box.x + 500, box.y + 300);
  await page.mouse.down();
  for (let step = 0; step < 40; step += 1) await page.mouse.move(box.x + 500 - step * 5, box.y + 300 + step * 3);
  await page.mouse.up();
  const frames = await page.evaluate(() => globalThis.frames3);
  assert.ok(frames > 0, "the page hangs");
  t.diagnostic(`${frames} frames while 3,001 units were dragged over 40 steps`);
  await finish();
});

test("data, movements, timeline, tasks and issues have their sides", async () => {
  const { page, finish } = await window();
  await enter(page, "ada", "serial/eb-1/data");
  await page.getByRole("cell", { name: "Braking force", exact: true }).waitFor();
  assert.equal(await page.getByRole("cell", { name: "737" }).first().isVisible(), true);
  await page.getByRole("cell", { name: "Fit the battery" }).waitFor();
  await accessible(page, "data");
  await visit(page, "serial/eb-1/movements");
  await page.getByRole("link", { name: "F-02" }).last().waitFor();
  await accessible(page, "movements");
  await visit(page, "serial/eb-1/timeline");
  await page.getByText("Serial unlinked").waitFor();
  await accessible(page, "timeline");
  await visit(page, "serial/bt-1/collaboration");
  await page.getByRole("link", { name: /issue-voltage/ }).waitFor();
  await accessible(page, "issues and tasks");
  await finish();
});

test("attachments are shown, and never run", async () => {
  const ada = await caller("ada");
  const name = "proof.png";
  const picture = await readFile(new URL("../files/proof.png", import.meta.url));
  const form = new FormData();
  form.append("bucket", "serial");
  form.append("object_key", "eb-4");
  form.append("subfolder", "photos");
  form.append("contents", new Blob([picture], { type: "image/png" }), name);
  form.append("contents", new Blob(["<script>parent.hacked = true</script>"], { type: "text/html" }), "page.html");
  await ada.upload("files", form);
  await ada.post("event", {
    event_type: "SERIAL_UPDATED", serial_key: "eb-4",
    serial_data: [{ form_field_key: "photos", custom_field_key: "photos", label: "Photos", value: [{ name }, { name: "page.html" }] }],
  });
  const { page, finish } = await window();
  await enter(page, "marco", "serial/eb-4/attachments");
  const image = page.getByRole("img", { name });
  await image.waitFor();
  assert.ok(await image.evaluate((drawn) => drawn.naturalWidth > 0), "the picture is drawn");
  await page.getByText("No preview for this kind of file.").waitFor();
  assert.equal(await page.evaluate(() => globalThis.hacked), undefined);
  await accessible(page, "attachments");
  await finish();
});

test("the device history record is shown and can be kept", async () => {
  const { page, finish } = await window();
  await enter(page, "marco", "serial/eb-1/record");
  await page.locator('iframe[title="History record"]').waitFor();
  const [kept] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download as PDF" }).click()]);
  assert.equal(kept.suggestedFilename(), "DHR_26000001.pdf");
  assert.equal((await readFile(await kept.path())).subarray(0, 4).toString(), "%PDF");
  await accessible(page, "history record");
  await finish();
});

test("a deleted serial has a page that says so and asks for nothing that there is not", async () => {
  const { page, finish } = await window();
  await enter(page, "marco", "serial/fr-30");
  const header = page.locator("main header");
  await header.getByText("deleted").first().waitFor();
  await visit(page, "product/frame");
  await page.getByRole("heading", { name: "FRM-ALU" }).waitFor();
  await finish();
});
