import assert from "node:assert/strict";
import test from "node:test";
import { accessible, caller, enter, picture, window } from "../support.mjs";

test("work orders, work, stock, issues and tasks are there, and what happens appears without a reload", async () => {
  const { page, finish } = await window();
  await enter(page, "marco", "plant");
  const section = (id) => page.locator(`section[aria-labelledby="${id}"]`);
  await section("orders").getByText("WO26000003").waitFor();
  await section("at-work").locator("li").first().waitFor();
  await section("stock").getByText("HALL-1").waitFor();
  await section("due-tasks").getByText("Find every bike with cells of LOT-2604-B").waitFor();
  await accessible(page, "plant");
  await picture(page, "plant");

  let loads = 0;
  page.on("framenavigated", () => (loads += 1));
  const pieces = async () => (await section("stock").locator("li", { hasText: "IN" }).first().locator(".pieces").first().innerText());
  const before = await pieces();
  const ada = await caller("ada");
  const issues = await section("open-issues").locator("li").count();
  await ada.post("event", { event_type: "ISSUE_CREATED", issue_data: { linked_to: [{ type: "serial", key: "eb-5" }] } });
  await page.waitForFunction((count) => document.querySelectorAll('section[aria-labelledby="open-issues"] li').length === count, issues + 1);
  await ada.post("event", { event_type: "TASK_CREATED", title: "Sweep the hall", task_type_key: "errand" });
  await section("due-tasks").getByText("Sweep the hall").waitFor();
  await ada.post("event", { event_type: "MOVEMENT_COMPLETED", movement_type: "receipt", product_key: "bolt", qt_confirmed: 7, position_to: "bin-f1" });
  await page.waitForFunction((text) => document.querySelector('section[aria-labelledby="stock"] .pieces').textContent !== text, before);
  const { detail } = await ada.post("work-order", { product_key: "motor", qt_planned: 3 });
  await section("orders").getByText(detail.work_order.wo_code).waitFor();
  const running = await section("at-work").locator("li").count();
  await ada.post("event", { event_type: "JOB_STARTED", job_key: detail.jobs[0]._key });
  await page.waitForFunction((count) => document.querySelectorAll('section[aria-labelledby="at-work"] li').length === count, running + 1);
  assert.equal(loads, 0, "no reload");
  await finish();
});
