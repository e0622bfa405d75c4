import assert from "node:assert/strict";
import test from "node:test";
import { caller, enter, scan, visit, window } from "../support.mjs";

/** Markup that would act at once if a page took it for more than text. Codes are stored in capitals, which HTML does not mind. */
const EVIL = `<img src=x onerror="globalThis.hacked=1">`;

/** Stores it in every member that the operations of the demo factory's people can write, and tells where it can be seen. */
async function sow() {
  const ada = await caller("ada");
  const event = async (type, members) => (await ada.post("event", { event_type: type, description: EVIL, ...members })).detail;
  const form = new FormData();
  form.append("code", `EVIL-PRODUCT ${EVIL}`);
  form.append("description", EVIL);
  const product = (await ada.upload("product", form)).detail._key;
  const [operation] = await ada.get("operation");
  await ada.put(`product/${product}/process`, [{ alias: EVIL, operation_key: operation._key, steps: [{ title: EVIL, description: EVIL, type: "form", form_fields: [{ custom_field_key: "remark", label: EVIL, hint: EVIL, mandatory: true }] }] }]);
  const order = (await ada.post("work-order", { product_key: product, qt_planned: 1, project_code: EVIL, notes: EVIL })).detail;
  const position = (await ada.post("position", { code: `EVIL-PLACE ${EVIL}` })).detail._key;
  const data = [{ form_field_key: "remark", custom_field_key: "remark", label: EVIL, hint: EVIL, value: EVIL }, { form_field_key: "photos", custom_field_key: "photos", label: EVIL, value: [{ name: `${EVIL}.png` }] }];
  const serial = (await event("SERIAL_CREATED", { product_key: "frame", code: `EVIL-SERIAL ${EVIL}`, data })).serial_key ?? (await ada.get(`serial?serial_search=EVIL-SERIAL*`))[0]._key;
  await event("SERIAL_LINKED", { parent_serial_key: "eb-6", child_serial_key: serial, process_inventory: false });
  await ada.post("movement-list", { code: `EVIL-LIST ${EVIL}`, type: "receipt", notes: EVIL, references: { partner_name: EVIL }, movements: [{ type: "receipt", product_key: "bolt", qt_planned: 1, _to: `Position/${position}`, reason: EVIL }] });
  const list = (await ada.get("movement-list")).find((one) => one.code.startsWith("EVIL-LIST"))._key;
  const issue = (await event("ISSUE_CREATED", { issue_data: { issue_type_key: "missing-part", data: [{ _key: "remark", form_field_key: "remark", custom_field_key: "remark", label: EVIL, value: EVIL }], linked_to: [{ type: "serial", key: serial }] } })).issue_key;
  const task = (await event("TASK_CREATED", { title: EVIL, description: EVIL, task_type_key: "errand" })).task_key;
  await ada.post("user", { username: "evil", name: EVIL, surname: EVIL, scope: "admin" });
  return { product, order, position, serial, list, issue, task };
}

test("markup stored in any member is shown as the text it is", async () => {
  const { product, order, position, serial, list, issue, task } = await sow();
  const { page, finish } = await window({ refused: [`404 GET /media/serial/${serial}/photos/${encodeURIComponent(EVIL)}.png`] });
  await enter(page, "ada");
  const look = async (where, shows = true) => {
    await page.waitForTimeout(700);
    const found = await page.evaluate(() => ({ acted: globalThis.hacked, planted: document.querySelectorAll("[onerror]").length, text: document.body.innerText.toLowerCase() }));
    assert.equal(found.acted, undefined, `${where} ran it`);
    assert.equal(found.planted, 0, `${where} made an element of it`);
    if (shows) assert.ok(found.text.includes("<img src=x onerror="), `${where} shows it as text`);
  };
  await scan(page, "EVIL-*");
  await look("search");
  for (const path of [
    `serial/${serial}`, `serial/${serial}?view=tree`, "serial/eb-6?view=tree", `serial/${serial}/data`, `serial/${serial}/attachments`, `serial/${serial}/timeline`,
    `product/${product}`, `work-order/${order.work_order._key}`, `position/${position}`, `list/${list}`, `issue/${issue}`, `task/${task}`, "plant", `record/${order.jobs[0]._key}`,
  ]) {
    await visit(page, path);
    await look(path);
  }
  for (const path of [`serial/${serial}/collaboration`, `serial/${serial}/record`, `recall?serial=${serial}`, "record"]) {
    await visit(page, path);
    await look(path, false);
  }
  await visit(page, "aql");
  const editor = page.getByRole("textbox", { name: "AQL query" });
  await editor.click();
  await page.keyboard.press("Control+a");
  await editor.evaluate((content, text) => {
    const clipboard = new DataTransfer();
    clipboard.setData("text/plain", text);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: clipboard, bubbles: true, cancelable: true }));
  }, 'FOR s IN Serial FILTER STARTS_WITH(s.code, "EVIL-SERIAL") FOR v, e IN 1..1 INBOUND s contains RETURN { s, v, e }');
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator("#aql-result").waitFor();
  await look("AQL table");
  await page.getByRole("button", { name: "JSON", exact: true }).click();
  await look("AQL JSON");
  await page.getByRole("button", { name: "Graph", exact: true }).click();
  await look("AQL graph", false);
  await finish();
});
