import assert from "node:assert/strict";
import { test } from "node:test";
import { aql } from "arangojs";
import { fails, keys, name, ownDatabase } from "./support.js";

const db = await ownDatabase();

const texts = await db.createCollection("texts");
await texts.saveAll([
  { _key: "a", title: "Red bicycle", text: "A quick red bicycle for the city", price: 300 },
  { _key: "b", title: "Blue bicycle", text: "A heavy blue bicycle, quick to repair", price: 200 },
  { _key: "c", title: "Red lamp", text: "Lamps light the way", price: 20 },
]);

const found = async (view, condition) => keys(await (await db.query(aql`FOR d IN ${view} SEARCH ${condition} RETURN d`)).all());

test("views are made, listed and described", async () => {
  const names = [name("v"), name("v"), "with-a-dash"];
  await Promise.all(names.map((view) => db.createView(view, { type: "arangosearch" })));
  assert.deepEqual((await db.listViews()).map((view) => view.name).sort(), [...names].sort());
  assert.deepEqual((await db.views()).map((view) => view.name).sort(), [...names].sort());
  const view = db.view(names[0]);
  const { id, type } = await view.get();
  assert.ok(id);
  assert.equal(type, "arangosearch");
  const properties = await view.properties();
  for (const attribute of ["links", "cleanupIntervalStep", "consolidationIntervalMsec"]) assert.ok(attribute in properties, attribute);
  assert.ok(properties.consolidationPolicy.type);
  await fails(view.create({ type: "arangosearch" }), 1207, 409);
  await Promise.all(names.map((view) => db.view(view).drop()));
  assert.equal(await view.exists(), false);
  await fails(view.get(), 1203, 404);
});

test("properties of a view are changed, and replaced by what they are at first", async () => {
  const view = await db.createView(name("v"), { type: "arangosearch" });
  const first = await view.properties();
  await view.updateProperties({ consolidationIntervalMsec: 45000, commitIntervalMsec: 45000 });
  const changed = await view.updateProperties({ commitIntervalMsec: 30000 });
  assert.deepEqual([changed.consolidationIntervalMsec, changed.commitIntervalMsec], [45000, 30000]);
  const replaced = await view.replaceProperties({ commitIntervalMsec: 20000 });
  assert.deepEqual([replaced.consolidationIntervalMsec, replaced.commitIntervalMsec], [first.consolidationIntervalMsec, 20000]);
  const renamed = name("v");
  assert.equal((await view.rename(renamed)).name, renamed);
  assert.equal(view.name, renamed);
  await view.drop();
});

test("a view finds by its links", async () => {
  const view = await db.createView(name("v"), {
    type: "arangosearch",
    links: { [texts.name]: { fields: { text: { analyzers: ["text_en"] }, title: {}, price: {} } } },
    primarySort: [{ field: "price", direction: "desc" }],
    storedValues: [{ fields: ["title"], compression: "none" }],
    optimizeTopK: ["BM25(@doc) DESC"],
  });
  assert.deepEqual((await view.properties()).optimizeTopK, ["BM25(@doc) DESC"]);
  assert.deepEqual(await found(view, aql`PHRASE(d.text, "red bicycle", "text_en")`), ["a"]);
  assert.deepEqual(await found(view, aql`STARTS_WITH(d.title, ${"Red"}) AND d.price < ${100}`), ["c"]);
  const best = await db.query(aql`
    FOR d IN ${view} SEARCH ANALYZER(d.text IN TOKENS("quick city", "text_en"), "text_en")
      SORT BM25(d) DESC LIMIT 1 RETURN d.title`);
  assert.deepEqual(await best.all(), ["Red bicycle"]);
  await view.updateProperties({ links: { [texts.name]: null } });
  assert.deepEqual(await found(view, aql`true`), []);
});

test("analyzers are made, listed, used and dropped", async () => {
  const known = (await db.listAnalyzers()).map((analyzer) => analyzer.name);
  assert.ok(known.includes("identity") && known.includes("text_en"));
  const analyzer = db.analyzer(name("a"));
  assert.equal(await analyzer.exists(), false);
  await analyzer.create({ type: "ngram", properties: { min: 2, max: 2, preserveOriginal: false, streamType: "utf8" } });
  assert.equal(await analyzer.exists(), true);
  assert.equal((await analyzer.get()).name, `${db.name}::${analyzer.name}`);
  const all = (await db.analyzers()).map((analyzer) => analyzer.name);
  assert.deepEqual(all.sort(), [...known, `${db.name}::${analyzer.name}`].sort());
  assert.deepEqual(await (await db.query(aql`RETURN TOKENS("abc", ${analyzer.name})`)).all(), [["ab", "bc"]]);
  await analyzer.drop();
  assert.equal(await analyzer.exists(), false);
});

for (const index of [
  { type: "inverted", fields: [{ name: "text", analyzer: "text_en" }], analyzer: "identity" },
  { type: "inverted", fields: [{ name: "tags[*]" }], storedValues: [{ fields: ["a"], compression: "none" }] },
  { type: "zkd", fields: ["x", "y"], fieldValueTypes: "double" },
  { type: "mdi", fields: ["x", "y"], fieldValueTypes: "double", storedValues: ["z"] },
  { type: "mdi-prefixed", fields: ["x", "y"], fieldValueTypes: "double", prefixFields: ["p"] },
  { type: "persistent", fields: ["a"], storedValues: ["b"], cacheEnabled: true, estimates: false },
]) {
  test(`an index of type ${index.type} over ${JSON.stringify(index.fields)} is made once and dropped`, async () => {
    const collection = await db.createCollection(name("c"));
    const made = await collection.ensureIndex(index);
    assert.equal(made.isNewlyCreated, true);
    for (const [attribute, value] of Object.entries(index)) assert.deepEqual(made[attribute], value);
    assert.equal((await collection.ensureIndex(index)).isNewlyCreated, false);
    assert.equal((await collection.index(made.name)).id, made.id);
    assert.equal((await collection.dropIndex(made.id)).id, made.id);
  });
}

test("an alias stands for inverted indexes", async () => {
  await texts.ensureIndex({ type: "inverted", name: "words", fields: [{ name: "text", analyzer: "text_en" }] });
  await texts.ensureIndex({ type: "inverted", name: "prices", fields: ["price"] });
  const [words, prices] = ["words", "prices"].map((index) => ({ collection: texts.name, index }));
  const view = await db.createView(name("v"), { type: "search-alias", indexes: [words] });
  assert.deepEqual((await view.properties()).indexes, [words]);
  assert.deepEqual(await found(view, aql`PHRASE(d.text, "blue bicycle")`), ["b"]);
  assert.deepEqual((await view.updateProperties({ indexes: [prices] })).indexes, [words, prices]);
  assert.deepEqual(await found(view, aql`d.price == 20 OR PHRASE(d.text, "blue bicycle")`), ["b", "c"]);
  assert.deepEqual((await view.updateProperties({ indexes: [{ ...words, operation: "del" }] })).indexes, [prices]);
  assert.deepEqual((await view.replaceProperties({ indexes: [words] })).indexes, [words]);
  await view.drop();
});

test("a filter goes through the inverted index that it names", async () => {
  const query = aql`
    FOR d IN ${texts} OPTIONS { indexHint: "words", forceIndexHint: true }
      FILTER PHRASE(d.text, "light the way") RETURN d._key`;
  assert.deepEqual(await (await db.query(query)).all(), ["c"]);
  const { plan } = await db.explain(query);
  assert.ok(plan.nodes.some((node) => node.indexes?.some((index) => index.type === "inverted")));
});
