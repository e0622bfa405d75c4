import assert from "node:assert/strict";
import { test } from "node:test";
import { aql } from "arangojs";
import { fails, name, ownDatabase } from "./support.js";

const db = await ownDatabase();
const fresh = () => db.createCollection(name("c"));

test("what is committed is there", async () => {
  const c = await fresh();
  const trx = await db.beginTransaction({ write: [c] });
  await trx.step(() => c.save({ _key: "a" }));
  assert.equal(await c.documentExists("a"), false);
  assert.equal((await trx.get()).status, "running");
  assert.equal((await trx.commit()).status, "committed");
  assert.equal(await c.documentExists("a"), true);
});

test("what is aborted is not there", async () => {
  const c = await fresh();
  const trx = await db.beginTransaction(c);
  await trx.step(() => c.save({ _key: "a" }));
  assert.equal((await trx.abort()).status, "aborted");
  assert.equal(await c.documentExists("a"), false);
});

test("a transaction around a function commits, or aborts when it throws", async () => {
  const c = await fresh();
  await db.withTransaction(c, async (step) => {
    await step(() => c.save({ _key: "a" }));
    await step(() => db.query(aql`INSERT { _key: "b" } INTO ${c}`));
  });
  assert.equal((await c.count()).count, 2);
  await assert.rejects(
    db.withTransaction(c, async (step) => {
      await step(() => c.save({ _key: "c" }));
      throw new Error("on purpose");
    }),
  );
  assert.equal((await c.count()).count, 2);
});

test("the second writer of a document gets a conflict", async () => {
  const c = await fresh();
  await c.save({ _key: "a", v: 1 });
  const [one, two] = [await db.beginTransaction(c), await db.beginTransaction(c)];
  await one.step(() => c.update("a", { v: 2 }));
  await fails(two.step(() => c.update("a", { v: 3 })), 1200, 409);
  await one.commit();
  await two.abort();
  assert.equal((await c.document("a")).v, 2);
});

test("an undeclared write is refused", async () => {
  const [c, other] = [await fresh(), await fresh()];
  const trx = await db.beginTransaction({ write: [c], read: [other] });
  await fails(trx.step(() => other.save({})), 1652, 400);
  await trx.abort();
});

test("an unknown or ended transaction cannot be used", async () => {
  const c = await fresh();
  const trx = await db.beginTransaction(c);
  await trx.commit();
  await fails(trx.step(() => c.save({})), 1655, 404);
  await fails(db.transaction("123456789").get(), 1655, 404);
});

test("open transactions are listed", async () => {
  const c = await fresh();
  const trx = await db.beginTransaction(c);
  // the driver's own listTransactions() asks the system database, whatever the database is
  const list = async () => (await db.route("/_api/transaction").get()).parsedBody.transactions;
  assert.ok((await list()).some((t) => t.id === trx.id && t.state === "running"));
  await trx.abort();
  assert.ok(!(await list()).some((t) => t.id === trx.id));
});

test("many transactions at once lose no update", async () => {
  const c = await fresh();
  await c.save({ _key: "counter", n: 0 });
  let committed = 0;
  const increment = async () => {
    const trx = await db.beginTransaction(c);
    try {
      const { n } = await trx.step(() => c.document("counter"));
      await trx.step(() => c.update("counter", { n: n + 1 }));
      await trx.commit();
      committed += 1;
    } catch (error) {
      assert.equal(error.errorNum, 1200, error.message);
      await trx.abort();
    }
  };
  await Promise.all(Array.from({ length: 20 }, increment));
  assert.ok(committed > 0);
  assert.equal((await c.document("counter")).n, committed);
});

test("many queries that write one document and retry lose no update", async () => {
  const c = await fresh();
  await c.save({ _key: "counter", n: 0 });
  const increment = () =>
    db.query(aql`LET d = DOCUMENT(${c}, "counter") UPDATE d WITH { n: d.n + 1 } IN ${c}`, { retryOnConflict: 100 });
  await Promise.all(Array.from({ length: 100 }, increment));
  assert.equal((await c.document("counter")).n, 100);
});
