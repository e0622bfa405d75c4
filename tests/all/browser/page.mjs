// Logs in on the API page and tries an operation there, as a person would.
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const { URL: service, BROWSER, PROFILE, SCREENSHOT } = process.env;

const context = await chromium.launchPersistentContext(PROFILE, {
  executablePath: BROWSER,
  headless: true,
  viewport: { width: 1400, height: 1500 },
  args: [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
  ],
});
try {
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(60_000);
  const elsewhere = [];
  page.on("request", (request) => {
    const address = request.url();
    if (!address.startsWith(service) && !address.startsWith("data:") && !address.startsWith("blob:")) elsewhere.push(address);
  });

  const refused = [];
  page.on("console", (message) => {
    if (message.text().includes("Content Security Policy")) refused.push(message.text());
  });

  await page.goto(`${service}/api/docs`);
  await page.locator(".swagger-ui .info .title").waitFor();
  assert.match(await page.locator(".info .title").innerText(), /Tracewright/);

  // Log in: the dialog of the page asks the token URL of the document.
  await page.locator(".auth-wrapper .authorize").first().click();
  const dialog = page.locator(".dialog-ux .modal-ux");
  await dialog.locator("#oauth_username").fill("marco");
  await dialog.locator("#oauth_password").fill("tracewright-demo");
  await dialog.locator(".auth-btn-wrapper .authorize").click();
  await dialog.getByText("Authorized", { exact: true }).waitFor();
  await dialog.locator(".auth-btn-wrapper .btn-done").click();

  // Try an operation.
  const operation = page.locator(".opblock", { has: page.locator('[data-path="/serial-hierarchy"]') });
  await operation.locator(".opblock-summary-control").click();
  await operation.getByRole("button", { name: "Try it out" }).click();
  await operation.locator('tr[data-param-name="serial_key"] input').fill("eb-1");
  await operation.locator(".execute").click();

  const answer = operation.locator(".live-responses-table .response").first();
  await answer.waitFor();
  assert.equal((await answer.locator(".response-col_status").innerText()).trim().split(/\s/)[0], "200");
  const body = await answer.locator(".microlight, .highlight-code").first().innerText();
  assert.match(body, /26000001/);
  assert.match(body, /BT-0002/);

  await answer.scrollIntoViewIfNeeded();
  await page.screenshot({ path: SCREENSHOT });
  assert.deepEqual(elsewhere, [], "the page needs no other host");
  assert.deepEqual(refused, [], "its policy lets it do what it does");
  console.log(`logged in and traced eb-1 on the page; screenshot: ${SCREENSHOT}`);
} finally {
  await context.close();
}
