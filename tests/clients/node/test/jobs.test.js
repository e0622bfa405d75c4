import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { aql } from "arangojs";
import { fails, name, ownDatabase } from "./support.js";

const db = await ownDatabase();

async function finished(job) {
  while (!(await job.getCompleted())) await sleep(20);
  return job;
}

test("a job gives its result once", async () => {
  const job = await db.createJob(() => db.query(aql`RETURN 23`));
  const cursor = await (await finished(job)).load();
  assert.equal(await cursor.next(), 23);
  assert.equal((await db.listCompletedJobs()).includes(job.id), false);
});

test("jobs are listed, cancelled and deleted", async () => {
  const slow = await db.createJob(() => db.query(aql`RETURN SLEEP(60)`));
  assert.equal(await slow.getCompleted(), false);
  assert.ok((await db.listPendingJobs()).includes(slow.id));
  await slow.cancel();
  await finished(slow);
  await slow.deleteResult();
  const quick = await finished(await db.createJob(() => db.version()));
  await db.deleteExpiredJobResults(Date.now() - 3_600_000);
  assert.ok((await db.listCompletedJobs()).includes(quick.id));
  await db.deleteExpiredJobResults(Date.now() + 60_000);
  assert.equal((await db.listCompletedJobs()).includes(quick.id), false);
  const error = await quick.getCompleted().catch((e) => e);
  assert.equal(error.code, 404);
});

test("the time in the queue is told with every answer", async () => {
  db.setResponseQueueTimeSamples(5);
  await Promise.all(Array.from({ length: 8 }, () => db.version()));
  assert.equal(db.queueTime.getValues().length, 5);
  assert.ok(Number.isFinite(db.queueTime.getAvg()));
});

test("imports come as bytes and blobs, too", async () => {
  const collection = await db.createCollection(name("c"));
  const list = Buffer.from(JSON.stringify([{ _key: "l1" }, { _key: "l2" }]));
  assert.equal((await collection.import(list, { type: "list" })).created, 2);
  const lines = new Blob(['{"_key":"b1"}\r\n', '{"_key":"b2"}\r\n']);
  for (const [type, created, errors] of [["documents", 2, 0], ["auto", 0, 2]]) {
    const told = await collection.import(lines, { type });
    assert.deepEqual([told.created, told.errors], [created, errors], type);
  }
});

test("slow queries are listed and cleared", async () => {
  await db.queryTracking({ enabled: true, slowQueryThreshold: 0.1, trackSlowQueries: true });
  await db.query(aql`RETURN SLEEP(0.2)`);
  assert.ok((await db.listSlowQueries()).some((query) => query.query.includes("SLEEP(0.2)")));
  await db.clearSlowQueries();
  assert.deepEqual(await db.listSlowQueries(), []);
  await db.queryTracking({ slowQueryThreshold: 10 });
});

test("nobody cancels a job that is not there", () => fails(db.job("4711").cancel(), 404, 404));
