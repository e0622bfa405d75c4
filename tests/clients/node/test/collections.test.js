import assert from "node:assert/strict";
import { test } from "node:test";
import { CollectionStatus, CollectionType } from "arangojs/collections";
import { fails, name, ownDatabase } from "./support.js";

const db = await ownDatabase();

test("a collection is made, described, listed and dropped", async () => {
  const collection = await db.createCollection(name("c"));
  const info = await collection.get();
  assert.equal(info.type, CollectionType.DOCUMENT_COLLECTION);
  assert.equal(info.status, CollectionStatus.LOADED);
  assert.ok((await db.listCollections()).some((c) => c.name === collection.name));
  assert.ok((await db.listCollections(false)).some((c) => c.isSystem));
  await collection.drop();
  assert.equal(await collection.exists(), false);
  await fails(collection.get(), 1203, 404);
});

test("an edge collection says so", async () => {
  const edges = await db.createEdgeCollection(name("e"));
  assert.equal((await edges.get()).type, CollectionType.EDGE_COLLECTION);
});

test("a collection's name is taken once", async () => {
  const collection = await db.createCollection(name("c"));
  await fails(collection.create(), 1207, 409);
});

test("properties are kept and changed", async () => {
  const collection = await db.createCollection(name("c"), {
    waitForSync: false,
    keyOptions: { type: "autoincrement", increment: 5, offset: 10 },
  });
  const properties = await collection.properties();
  assert.equal(properties.waitForSync, false);
  assert.equal(properties.keyOptions.type, "autoincrement");
  assert.equal((await collection.properties({ waitForSync: true })).waitForSync, true);
});

test("a schema guards what is written", async () => {
  const schema = { rule: { properties: { n: { type: "number" } }, required: ["n"] }, level: "strict", message: "n is missing" };
  const collection = await db.createCollection(name("c"), { schema });
  await collection.save({ n: 1 });
  const error = await fails(collection.save({}), 1620, 400);
  assert.match(error.message, /n is missing/);
});

test("counts, figures, revision and checksum are known", async () => {
  const collection = await db.createCollection(name("c"));
  await collection.saveAll([{}, {}, {}]);
  assert.equal((await collection.count()).count, 3);
  assert.equal((await collection.figures()).figures.indexes.count, 1);
  const { revision } = await collection.revision();
  const { checksum } = await collection.checksum();
  await collection.save({});
  assert.notEqual((await collection.revision()).revision, revision);
  assert.notEqual((await collection.checksum()).checksum, checksum);
  assert.equal(await collection.recalculateCount(), true);
  assert.equal(await collection.loadIndexes(), true);
});

test("a collection is emptied and renamed", async () => {
  const collection = await db.createCollection(name("c"));
  await collection.save({});
  await collection.truncate();
  assert.equal((await collection.count()).count, 0);
  const renamed = name("renamed");
  await db.renameCollection(collection.name, renamed);
  assert.equal(await db.collection(renamed).exists(), true);
});

test("indexes are made, found and dropped", async () => {
  const collection = await db.createCollection(name("c"));
  const made = await collection.ensureIndex({ type: "persistent", fields: ["a", "b"], unique: true, sparse: true, name: "ab" });
  assert.equal(made.isNewlyCreated, true);
  assert.equal((await collection.ensureIndex({ type: "persistent", fields: ["a", "b"], unique: true, sparse: true })).isNewlyCreated, false);
  assert.equal((await collection.index("ab")).id, made.id);
  assert.deepEqual((await collection.indexes()).map((i) => i.type), ["primary", "persistent"]);
  await collection.dropIndex(made.id);
  await fails(collection.index(made.id), 1212, 404);
});

for (const index of [
  { type: "ttl", fields: ["at"], expireAfter: 60 },
  { type: "geo", fields: ["lat", "lng"] },
  { type: "geo", fields: ["where"], geoJson: true },
  { type: "fulltext", fields: ["text"], minLength: 3 },
  { type: "persistent", fields: ["tags[*]"], deduplicate: true },
]) {
  test(`an index of type ${index.type} over ${index.fields} is kept`, async () => {
    const collection = await db.createCollection(name("c"));
    const made = await collection.ensureIndex(index);
    for (const [attribute, value] of Object.entries(index)) assert.deepEqual(made[attribute], value);
    assert.deepEqual((await collection.index(made.id)).fields, index.fields);
  });
}

test("a computed value is written with the document", async () => {
  const computedValues = [{ name: "full", expression: "RETURN CONCAT(@doc.a, '-', @doc.b)", overwrite: true }];
  const collection = await db.createCollection(name("c"), { computedValues });
  assert.equal((await collection.save({ a: 1, b: 2 }, { returnNew: true })).new.full, "1-2");
});
