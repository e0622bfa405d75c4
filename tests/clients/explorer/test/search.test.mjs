import assert from "node:assert/strict";
import test from "node:test";
import { accessible, enter, scan, visit, window } from "../support.mjs";

test("a scanned code opens at once, from the first page and from any other", async () => {
  const { page, finish } = await window();
  await enter(page, "marco");
  await scan(page, "FR-0001");
  await page.getByRole("heading", { name: "FR-0001" }).waitFor();
  await page.keyboard.press("/");
  await scan(page, "lot-2604-b");
  await page.getByRole("heading", { name: "LOT-2604-B" }).waitFor();
  await page.keyboard.press("/");
  await scan(page, "BT-0002");
  await page.getByRole("heading", { name: "BT-0002" }).waitFor();
  await finish();
});

const KINDS = { product: ["BAT-500", "product"], work_order: ["WO26000003", "work-order"], position: ["F-02", "position"], movement_list: ["REC-0001", "list"], task: ["TASK-0001", "task"], issue: ["issue-voltage", "issue"] };
for (const [kind, [code, path]] of Object.entries(KINDS)) {
  test(`a ${kind.replace("_", " ")} is found by its code and has a page`, async () => {
    const { page, finish } = await window();
    await enter(page, "ada");
    await scan(page, code);
    await page.getByRole("heading", { level: 1, name: code }).waitFor();
    assert.match(page.url(), new RegExp(`#/${path}/`));
    await page.locator("h2").first().waitFor();
    await accessible(page, kind);
    await finish();
  });
}

test("wildcards find many, grouped by kind; the arrows go through them and Enter opens", async () => {
  const { page, finish } = await window();
  await enter(page, "marco");
  await scan(page, "FR-000*");
  await page.getByRole("heading", { name: "Serials" }).waitFor();
  const codes = await page.locator("a.hit .code").allInnerTexts();
  assert.deepEqual(codes, ["FR-0001", "FR-0002", "FR-0003", "FR-0004", "FR-0005", "FR-0006", "FR-0007", "FR-0008", "FR-0009"]);
  await accessible(page, "results");
  await page.locator("a.hit").first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "FR-0002" }).waitFor();
  await finish();
});

test("while typing, the box offers what begins so; Esc closes it, arrows and Enter choose", async () => {
  const { page, finish } = await window();
  await enter(page, "marco", "recall");
  await page.keyboard.press("Tab");
  await page.getByRole("combobox", { name: "Search by code" }).focus();
  await page.keyboard.type("BT-000");
  const options = page.getByRole("option");
  await options.first().waitFor();
  await accessible(page, "open box");
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("listbox").isVisible(), false);
  await page.keyboard.type("4");
  await options.first().waitFor();
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.locator('[role="option"][aria-selected="true"]').count(), 1);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "BT-0004" }).waitFor();
  await finish();
});

test("what nobody has is said, not left empty", async () => {
  const { page, finish } = await window();
  await enter(page, "marco");
  await scan(page, "NO-SUCH-CODE");
  await page.getByText("Nothing has such a code.").waitFor();
  await accessible(page, "no results");
  await finish();
});

test("an unknown serial is not found", async () => {
  const { page, finish } = await window();
  await enter(page, "marco");
  await visit(page, "serial/none");
  await page.getByText("There is nothing with this key").waitFor();
  await finish();
});
