import assert from "node:assert/strict";
import test from "node:test";
import { accessible, caller, enter, service, visit, window } from "../support.mjs";

test("a wrong password is told, and the right one leads to the search box", async () => {
  const { page, finish } = await window({ refused: ["401 POST /auth"] });
  await page.goto(`${service}/`);
  await page.locator("#username").fill("tea");
  await page.locator("#password").fill("wrong");
  await page.keyboard.press("Enter");
  assert.equal(await page.getByRole("alert").innerText(), "User name or password is wrong.");
  await accessible(page, "login");
  await page.locator("#password").fill("tracewright-demo");
  await page.keyboard.press("Enter");
  const box = page.getByRole("combobox", { name: "Search by code" });
  await box.waitFor();
  assert.ok(await box.evaluate((box) => box === document.activeElement), "the box is focused at start");
  await finish();
});

test("the token is in no address, cookie or local storage, and leaves with the tab", async () => {
  const { page, context, finish } = await window();
  const addresses = [];
  page.on("request", (request) => addresses.push(request.url()));
  await enter(page, "tea", "serial/eb-1");
  await page.getByRole("heading", { name: "26000001" }).waitFor();
  const { session, local } = await page.evaluate(() => ({ session: Object.values(sessionStorage).join(), local: JSON.stringify(localStorage) }));
  const token = /"token":"([^"]+)"/.exec(session)[1];
  assert.ok(!local.includes(token));
  assert.deepEqual(await context.cookies(), []);
  assert.deepEqual(addresses.filter((address) => address.includes(token)), []);
  await finish();
});

test("a second tab needs no second login", async () => {
  const { page, context, finish } = await window();
  await enter(page, "tea");
  const second = await context.newPage();
  await second.goto(`${service}/#/serial/eb-1`);
  await second.getByRole("heading", { name: "26000001" }).waitFor();
  await finish();
});

test("a session that ends elsewhere asks for a new login and goes on where it was", async () => {
  const { page, finish } = await window({ refused: ["401 POST /notification/ticket", "401 GET /event"] });
  await enter(page, "tea", "serial/eb-1");
  await page.getByRole("heading", { name: "26000001" }).waitFor();
  await caller("tea");
  await page.getByRole("link", { name: "Timeline" }).click();
  await page.getByText("Your session has ended").waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await page.locator("#username").fill("tea");
  await page.locator("#password").fill("tracewright-demo");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Timeline" }).waitFor();
  assert.match(page.url(), /serial\/eb-1\/timeline/);
  await finish();
});

test("a one-time password has to be changed first", async () => {
  const admin = await caller("ada");
  const { detail } = await admin.post("user", { username: "nova", name: "Nova", surname: "Rossi", scope: "traceability" });
  const { page, finish } = await window();
  await page.goto(`${service}/`);
  await page.locator("#username").fill("nova");
  await page.locator("#password").fill(detail.temp_psw);
  await page.keyboard.press("Enter");
  await page.locator("#new-password").fill("a-better-password");
  await accessible(page, "new password");
  await page.locator("#repeated").fill("another-password");
  await page.keyboard.press("Enter");
  assert.equal(await page.locator("#repeated").evaluate((input) => input.validationMessage), "The two passwords differ.");
  await page.locator("#repeated").fill("a-better-password");
  await page.keyboard.press("Enter");
  await page.getByText("Nova Rossi").waitFor();
  await finish();
});

test("logging out ends the session at the service too", async () => {
  const { page, finish } = await window();
  await enter(page, "tea");
  const token = await page.evaluate(() => JSON.parse(Object.values(sessionStorage)[0]).token);
  await page.getByText("Tea Longo").click();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.locator("#username").waitFor();
  await page.waitForTimeout(500);
  const answer = await fetch(`${service}/api/whoami`, { headers: { Authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 401);
  await finish();
});

test("the scopes of the user decide what is shown", async () => {
  const pages = async (username) => {
    const { page, finish } = await window();
    await enter(page, username);
    const names = await page.getByRole("navigation", { name: "Pages" }).getByRole("link").allInnerTexts();
    await finish();
    return names;
  };
  assert.deepEqual(await pages("ada"), ["Search", "Recall", "Plant now", "Record", "AQL"]);
  assert.deepEqual(await pages("anna"), ["Search", "Recall", "Plant now", "Record"]);
  assert.deepEqual(await pages("tito"), ["Search"]);
});

test("a page that is not allowed says so, and names the right", async () => {
  const { page, finish } = await window({ refused: ["403 GET /explore/recall"] });
  await enter(page, "tito", "recall?code=LOT-2604-B");
  await page.getByText("Not allowed").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /serial:read/);
  await accessible(page, "not allowed");
  await visit(page, "nowhere/at/all");
  await page.getByRole("heading", { name: "No such page" }).waitFor();
  await accessible(page, "missing page");
  await finish();
});
