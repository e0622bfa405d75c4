import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import { accessible, enter, picture, window } from "../support.mjs";

/** Puts a query into the editor as a paste does. */
async function write(page, query) {
  const editor = page.getByRole("textbox", { name: "AQL query" });
  await editor.click();
  await page.keyboard.press("Control+a");
  await editor.evaluate((content, text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, query);
}

const run = (page) => page.getByRole("button", { name: "Run", exact: true }).click();

test("a query with a bind parameter is answered as table, JSON and files", async () => {
  const { page, finish } = await window();
  await enter(page, "ada", "aql");
  await write(page, "FOR s IN Serial FILTER s.code == @code RETURN { code: s.code, product: s.product_key }");
  await page.getByLabel("@code").fill('"26000001"');
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "1 row" }).waitFor();
  assert.deepEqual(await page.locator("section tbody td").allInnerTexts(), ["26000001", "ebike"]);
  await accessible(page, "AQL table");
  await picture(page, "aql");
  const [csv] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download CSV" }).click()]);
  assert.equal((await readFile(await csv.path(), "utf8")).replace("\uFEFF", ""), "code,product\r\n26000001,ebike\r\n");
  const [json] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download JSON" }).click()]);
  assert.deepEqual(JSON.parse(await readFile(await json.path(), "utf8")), [{ code: "26000001", product: "ebike" }]);
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  assert.match(await page.locator("pre").innerText(), /"product": "ebike"/);
  await finish();
});

test("vertices and edges are drawn as a graph; the plan has estimated and measured rows", async () => {
  const { page, finish } = await window();
  await enter(page, "ada", "aql");
  await write(page, 'FOR v, e IN 1..1 OUTBOUND "Serial/eb-1" contains RETURN { v, e }');
  await page.getByLabel("measure (profile)").check();
  await run(page);
  await page.getByRole("heading", { name: "6 rows" }).waitFor();
  await page.getByRole("button", { name: "Graph", exact: true }).click();
  await page.getByRole("img", { name: /7 vertices and 6 edges/ }).locator("canvas").first().waitFor();
  await page.getByRole("button", { name: "Plan", exact: true }).click();
  const header = await page.locator("section thead").innerText();
  assert.match(header, /estimated/);
  assert.match(header, /measured/);
  await page.getByRole("cell", { name: /TraversalNode/ }).waitFor();
  await accessible(page, "AQL plan");
  await finish();
});

test("explaining runs nothing and shows the plan", async () => {
  const { page, finish } = await window();
  await enter(page, "ada", "aql");
  await write(page, "FOR s IN Serial FILTER s._key == 'eb-1' RETURN s");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByRole("heading", { name: "Plan" }).waitFor();
  assert.ok((await page.locator("section tbody tr").count()) > 1);
  await finish();
});

test("a mistake is told with its place, writing is refused, secrets are not readable", async () => {
  const { page, finish } = await window({ refused: ["400 POST /aql", "403 POST /aql"] });
  await enter(page, "ada", "aql");
  await write(page, "FOR s IN Serial\nRETRUN s");
  await run(page);
  await page.getByRole("alert").getByText(/2:8/).waitFor();
  await write(page, "FOR s IN Serial REMOVE s IN Serial");
  await run(page);
  await page.getByText("Not allowed").waitFor();
  await write(page, "FOR u IN User RETURN u.password");
  await run(page);
  await page.getByRole("alert").waitFor();
  assert.equal(await page.locator("section tbody td").count(), 0);
  await finish();
});

test("people can be named without their secrets: the service gives the list of users", async () => {
  const { page, finish } = await window();
  await enter(page, "ada", "aql");
  await write(page, 'FOR u IN @users FILTER u._key == "anna" RETURN { name: u.name, secret: u.password }');
  await run(page);
  await page.getByRole("heading", { name: "1 row" }).waitFor();
  assert.deepEqual(await page.locator("section tbody td").allInnerTexts(), ["Anna", "null"]);
  await finish();
});

test("a running query can be stopped", async () => {
  const { page, finish } = await window({ refused: ["410 POST /aql"] });
  await enter(page, "ada", "aql");
  await write(page, "FOR i IN 1..1000000000 FILTER i < 0 RETURN i");
  await run(page);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  await page.getByRole("alert").waitFor();
  await finish();
});

test("the editor completes keywords, functions, collections and attributes", async () => {
  const { page, finish } = await window();
  await enter(page, "ada", "aql");
  await write(page, "FOR s IN Serial FILTER s.");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("produ");
  await page.locator(".cm-tooltip-autocomplete").getByText("product_key").waitFor();
  await page.keyboard.press("Escape");
  await write(page, "FOR s IN ");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("WorkOr");
  await page.locator(".cm-tooltip-autocomplete").getByText("WorkOrder").waitFor();
  await page.keyboard.press("Escape");
  await write(page, "RETURN ");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("LENG");
  await page.locator(".cm-tooltip-autocomplete").getByText("LENGTH").first().waitFor();
  await finish();
});

test("queries are remembered and kept under a name", async () => {
  const { page, finish } = await window();
  await enter(page, "ada", "aql");
  await write(page, "RETURN 41 + 1");
  await run(page);
  await page.getByRole("cell", { name: "42" }).waitFor();
  await page.getByText("Saved queries").click();
  await page.getByLabel("Name of the query").fill("The answer");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await write(page, "RETURN 1");
  await page.getByRole("button", { name: "The answer", exact: true }).click();
  await run(page);
  await page.getByRole("cell", { name: "42" }).waitFor();
  await page.getByText("History").click();
  await page.getByRole("button", { name: "RETURN 41 + 1" }).waitFor();
  await accessible(page, "kept queries");
  await finish();
});
