import assert from "node:assert/strict";
import { test } from "node:test";
import { fails, name, ownDatabase } from "./support.js";

const db = await ownDatabase();

/** Parts that contain parts: a -> b -> d, a -> c -> d. */
async function bom() {
  const [parts, contains] = [name("part"), name("contains")];
  const graph = await db.createGraph(name("bom"), [{ collection: contains, from: [parts], to: [parts] }]);
  const [v, e] = [graph.vertexCollection(parts), graph.edgeCollection(contains)];
  for (const _key of "abcd") await v.save({ _key });
  for (const [from, to] of ["ab", "ac", "bd", "cd"]) {
    await e.save({ _key: from + to, _from: `${parts}/${from}`, _to: `${parts}/${to}` });
  }
  return { graph, v, e, parts, contains };
}

test("a graph is made, described and dropped with its collections", async () => {
  const { graph, parts, contains } = await bom();
  const description = await graph.get();
  assert.deepEqual(description.edgeDefinitions, [{ collection: contains, from: [parts], to: [parts] }]);
  assert.ok((await db.listGraphs()).some((g) => g.name === graph.name));
  await fails(graph.create([]), 1925, 409);
  await graph.drop(true);
  assert.equal(await graph.exists(), false);
  assert.equal(await db.collection(parts).exists(), false);
  await fails(graph.get(), 1924, 404);
});

test("definitions and orphans change", async () => {
  const { graph, parts } = await bom();
  const orphan = name("orphan");
  await graph.addVertexCollection(orphan);
  assert.ok((await graph.listVertexCollections()).includes(orphan));
  const made = name("made");
  await graph.addEdgeDefinition({ collection: made, from: [parts], to: [orphan] });
  await graph.replaceEdgeDefinition({ collection: made, from: [orphan], to: [parts] });
  assert.ok((await graph.listEdgeCollections()).includes(made));
  await graph.removeEdgeDefinition(made, true);
  await graph.removeVertexCollection(orphan, true);
  assert.deepEqual(await graph.listVertexCollections(), [parts]);
});

test("vertices are written, read and removed with their edges", async () => {
  const { v, e } = await bom();
  await v.update("a", { x: 1 });
  assert.equal((await v.vertex("a")).x, 1);
  await v.replace("a", { y: 1 });
  assert.equal((await v.vertex("a")).x, undefined);
  await v.remove("d");
  await fails(e.edge("bd"), 1202, 404);
  assert.equal((await e.edge("ab"))._key, "ab");
  await fails(v.vertex("d"), 1202, 404);
});

test("edges are written and read", async () => {
  const { e, parts } = await bom();
  const made = await e.save({ _from: `${parts}/a`, _to: `${parts}/d`, n: 1 });
  await e.update(made._key, { n: 2 });
  assert.equal((await e.edge(made._key)).n, 2);
  await e.remove(made._key);
  await fails(e.edge(made._key), 1202, 404);
  await fails(e.save({ _from: `${parts}/a`, _to: "stranger/x" }), 1947, 400);
});

test("a traversal follows the graph", async () => {
  const { graph, parts } = await bom();
  const rows = await (
    await db.query("FOR v IN 1..2 OUTBOUND @start GRAPH @graph RETURN v._key", { start: `${parts}/a`, graph: graph.name })
  ).all();
  assert.deepEqual(rows.sort(), ["b", "c", "d", "d"]);
});

test("a shortest path is found", async () => {
  const { graph, parts } = await bom();
  const rows = await (
    await db.query("FOR v IN ANY SHORTEST_PATH @a TO @d GRAPH @graph RETURN v._key", { a: `${parts}/a`, d: `${parts}/d`, graph: graph.name })
  ).all();
  assert.equal(rows.length, 3);
});
