import assert from "node:assert/strict";
import { test } from "node:test";
import { fails, name, ownDatabase } from "./support.js";

const db = await ownDatabase();
const fresh = () => db.createCollection(name("c"));

test("a document is saved, read, changed and removed", async () => {
  const c = await fresh();
  const meta = await c.save({ _key: "a", v: 1, keep: true });
  assert.equal(meta._id, `${c.name}/a`);
  assert.equal((await c.document("a")).v, 1);
  const updated = await c.update("a", { v: 2 }, { returnNew: true, returnOld: true });
  assert.deepEqual([updated.old.v, updated.new.v, updated.new.keep], [1, 2, true]);
  assert.equal(updated._oldRev, meta._rev);
  await c.replace("a", { only: 1 });
  assert.equal((await c.document("a")).v, undefined);
  await c.remove("a");
  assert.equal(await c.documentExists("a"), false);
  await fails(c.document("a"), 1202, 404);
  assert.equal(await c.document("a", { graceful: true }), null);
});

test("a key is taken once, unless the insert may overwrite", async () => {
  const c = await fresh();
  await c.save({ _key: "a", v: 1 });
  await fails(c.save({ _key: "a" }), 1210, 409);
  await c.save({ _key: "a", w: 1 }, { overwriteMode: "update" });
  assert.deepEqual([(await c.document("a")).v, (await c.document("a")).w], [1, 1]);
  await c.save({ _key: "a", x: 1 }, { overwriteMode: "replace" });
  assert.equal((await c.document("a")).v, undefined);
  await c.save({ _key: "a", y: 1 }, { overwriteMode: "ignore" });
  assert.equal((await c.document("a")).y, undefined);
});

test("a revision guards what has changed meanwhile", async () => {
  const c = await fresh();
  const { _rev } = await c.save({ _key: "a", v: 1 });
  await c.update("a", { v: 2 });
  await fails(c.replace("a", { v: 3 }, { ifMatch: _rev }), 1200, 412);
  await fails(c.update({ _key: "a", _rev }, { _rev, v: 3 }, { ignoreRevs: false }), 1200, 412);
  const error = await c.document("a", { ifMatch: _rev }).catch((e) => e);
  assert.equal(error.code, 412);
});

test("null and merging follow the options", async () => {
  const c = await fresh();
  await c.save({ _key: "a", gone: 1, sub: { x: 1 } });
  await c.update("a", { gone: null, sub: { y: 1 } }, { keepNull: false, mergeObjects: false });
  const { gone, sub } = await c.document("a");
  assert.deepEqual([gone, sub], [undefined, { y: 1 }]);
});

test("many documents go at once, each with its own error", async () => {
  const c = await fresh();
  const saved = await c.saveAll([{ _key: "a" }, { _key: "a" }, { _key: "b" }], { returnNew: true });
  assert.deepEqual(saved.map((r) => r.errorNum), [undefined, 1210, undefined]);
  const updated = await c.updateAll([{ _key: "a", v: 1 }, { _key: "nowhere", v: 1 }]);
  assert.deepEqual(updated.map((r) => r.errorNum), [undefined, 1202]);
  const replaced = await c.replaceAll([{ _key: "b", w: 1 }]);
  assert.equal(replaced[0]._key, "b");
  assert.deepEqual((await c.documents(["a", "b"])).map((d) => d._key), ["a", "b"]);
  const removed = await c.removeAll(["a", "b", "nowhere"]);
  assert.deepEqual(removed.map((r) => r.errorNum), [undefined, undefined, 1202]);
});

test("documents are imported from objects, rows and lines", async () => {
  const c = await fresh();
  assert.equal((await c.import([{ _key: "a" }, { _key: "b" }])).created, 2);
  assert.equal((await c.import([["_key", "v"], ["c", 1], ["d", 2]])).created, 2);
  assert.equal((await c.import('{"_key":"e"}\n{"_key":"f"}\n', { type: "documents" })).created, 2);
  assert.equal((await c.import('[{"_key":"g"}]', { type: "list" })).created, 1);
  const again = await c.import([{ _key: "a" }], { details: true });
  assert.deepEqual([again.created, again.errors, again.details.length], [0, 1, 1]);
  assert.equal((await c.import([{ _key: "a", v: 2 }], { onDuplicate: "update" })).updated, 1);
});

test("edges need both ends and are found from them", async () => {
  const edges = await db.createEdgeCollection(name("e"));
  await fails(edges.save({ _from: "a/1" }), 1233, 400);
  await edges.saveAll([{ _key: "x", _from: "a/1", _to: "a/2" }, { _key: "y", _from: "a/2", _to: "a/1" }]);
  assert.equal((await (await db.route("/_api/edges").get(edges.name, { vertex: "a/1" })).parsedBody).edges.length, 2);
  assert.deepEqual((await edges.outEdges("a/1")).edges.map((e) => e._key), ["x"]);
  assert.deepEqual((await edges.inEdges("a/1")).edges.map((e) => e._key), ["y"]);
});

test("an unknown collection is an error", () => fails(db.collection(name("nowhere")).save({}), 1203, 404));
