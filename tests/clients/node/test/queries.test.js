import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { aql } from "arangojs";
import { fails, keys, name, ownDatabase } from "./support.js";

const db = await ownDatabase();
const numbers = await db.createCollection(name("numbers"));
await numbers.saveAll(Array.from({ length: 100 }, (_, i) => ({ _key: `n${i}`, value: i })));

test("a template binds its values and collections", async () => {
  const cursor = await db.query(aql`FOR d IN ${numbers} FILTER d.value >= ${98} SORT d.value RETURN d.value`);
  assert.deepEqual(await cursor.all(), [98, 99]);
});

test("a hundred thousand rows are paged through", async () => {
  const cursor = await db.query("FOR n IN 1..100000 RETURN n", {}, { batchSize: 1000, count: true });
  assert.equal(cursor.count, 100_000);
  let next = 1;
  for await (const n of cursor) assert.equal(n, next++);
  assert.equal(next, 100_001);
});

test("a hundred thousand rows stream", async () => {
  const cursor = await db.query("FOR n IN 1..100000 RETURN n", {}, { batchSize: 1000, stream: true });
  assert.equal(cursor.count, undefined);
  assert.equal(await cursor.reduce((sum, n) => sum + n, 0), 5_000_050_000);
});

test("batches can be taken one by one", async () => {
  const cursor = await db.query("FOR n IN 1..25 RETURN n", {}, { batchSize: 10 });
  assert.deepEqual((await cursor.batches.all()).map((b) => b.length), [10, 10, 5]);
});

test("a killed cursor is gone", async () => {
  const cursor = await db.query("FOR n IN 1..10 RETURN n", {}, { batchSize: 2, ttl: 100 });
  await cursor.batches.next();
  await cursor.kill();
  await fails(db.route(`/_api/cursor/${cursor.id}`).put(), 1600, 404);
});

test("a batch can be fetched again where that was asked for", async () => {
  const cursor = await db.query("FOR n IN 1..10 RETURN n", {}, { batchSize: 3, allowRetry: true });
  assert.deepEqual(await cursor.all(), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("the full count, statistics, profile and plan are shown", async () => {
  const cursor = await db.query(aql`FOR d IN ${numbers} LIMIT 5 RETURN d`, { fullCount: true, profile: 2 });
  assert.equal(cursor.extra.stats.fullCount, 100);
  assert.equal(typeof cursor.extra.profile.executing, "number");
  assert.ok(cursor.extra.plan.nodes.length > 0);
});

test("warnings are collected and can be errors", async () => {
  const query = "FOR i IN 1..2 RETURN 1 / (i - i)";
  const cursor = await db.query(query);
  assert.deepEqual(cursor.extra.warnings.map((w) => w.code), [1562, 1562]);
  await fails(db.query(query, {}, { failOnWarning: true }), 1562, 400);
});

test("limits of time and memory end a query", async () => {
  await fails(db.query("FOR a IN 1..100000 FOR b IN 1..100000 FILTER a == -b RETURN 1", {}, { maxRuntime: 0.2 }), 1500, 410);
  await fails(db.query("LET a = (FOR n IN 1..100000 RETURN CONCAT('text', n)) RETURN a", {}, { memoryLimit: 50_000 }), 32, 500);
});

test("every option is accepted", async () => {
  const cursor = await db.query(aql`FOR d IN ${numbers} FILTER d._key == "n1" RETURN d`, {
    allowDirtyRead: true,
    cache: false,
    fillBlockCache: false,
    intermediateCommitCount: 1000,
    intermediateCommitSize: 1_000_000,
    maxPlans: 5,
    maxTransactionSize: 1_000_000,
    maxWarningsCount: 5,
    optimizer: { rules: ["+all"] },
    satelliteSyncWait: 5,
    skipInaccessibleCollections: true,
  });
  assert.deepEqual(keys(await cursor.all()), ["n1"]);
});

for (const [query, errorNum, code] of [
  ["FOR", 1501, 400],
  ["RETURN @missing", 1551, 400],
  ["FOR d IN nowhere_at_all RETURN d", 1203, 404],
  ["RETURN NO_SUCH_FUNCTION()", 1540, 400],
  ["RETURN LENGTH()", 1541, 400],
]) {
  test(`${query} is error ${errorNum}`, () => fails(db.query(query), errorNum, code));
}

test("a query is explained and parsed", async () => {
  const { plan } = await db.explain(aql`FOR d IN ${numbers} FILTER d._key == "n1" RETURN d`);
  assert.ok(plan.nodes.some((n) => n.type === "IndexNode"));
  const { plans } = await db.explain(aql`FOR d IN ${numbers} RETURN d`, { allPlans: true });
  assert.ok(plans.length >= 1);
  const parsed = await db.parse("FOR d IN somewhere FILTER d.a == @a RETURN d");
  assert.deepEqual([parsed.collections, parsed.bindVars], [["somewhere"], ["a"]]);
  assert.ok((await db.queryRules()).some((rule) => rule.name === "use-indexes"));
});

test("a running query is listed and killed", async () => {
  const slow = fails(db.query("RETURN SLEEP(60)"), 1500, 410);
  let running = [];
  while (running.length === 0) {
    await sleep(20);
    running = (await db.listRunningQueries()).filter((q) => q.query.includes("SLEEP(60)"));
  }
  await db.killQuery(running[0].id);
  await slow;
});

test("what is tracked can be changed", async () => {
  const tracking = await db.queryTracking({ slowQueryThreshold: 3 });
  assert.equal(tracking.slowQueryThreshold, 3);
  await db.clearSlowQueries();
  assert.deepEqual(await db.listSlowQueries(), []);
});

test("a job runs a query apart", async () => {
  const job = await db.createJob(() => db.query("RETURN 42"));
  while (!(await job.getCompleted())) await sleep(10);
  const cursor = await job.load();
  assert.deepEqual(await cursor.all(), [42]);
  assert.ok(!(await db.listCompletedJobs()).includes(job.id));
});

test("data is written and its new state returned", async () => {
  const c = await db.createCollection(name("c"));
  const upsert = () => db.query(aql`UPSERT { _key: "a" } INSERT { _key: "a", n: 1 } UPDATE { n: OLD.n + 1 } IN ${c} RETURN NEW.n`);
  assert.deepEqual([...(await (await upsert()).all()), ...(await (await upsert()).all())], [1, 2]);
  await fails(db.query(aql`FOR k IN ["x", "y", "x"] INSERT { _key: k } INTO ${c}`), 1210, 409);
  assert.equal((await c.count()).count, 1);
});
