/** Vertices and edges among the rows of a result, wherever they stand in them. */
export interface ResultGraph {
  vertices: Map<string, string>;
  edges: Map<string, { from: string; to: string; label: string }>;
}

/** How deep rows are looked through: paths hold lists of vertices. */
const DEPTH = 6;

/** The graph in a result; null when there is no edge in it. */
export function graphOf(rows: unknown[]): ResultGraph | null {
  const graph: ResultGraph = { vertices: new Map(), edges: new Map() };
  for (const row of rows) collect(row, graph, DEPTH);
  for (const { from, to } of graph.edges.values()) {
    for (const id of [from, to]) if (!graph.vertices.has(id)) graph.vertices.set(id, id);
  }
  return graph.edges.size ? graph : null;
}

function collect(value: unknown, graph: ResultGraph, depth: number): void {
  if (typeof value !== "object" || value === null || depth === 0) return;
  if (Array.isArray(value)) return value.forEach((entry) => collect(entry, graph, depth - 1));
  const { _id, _from, _to, code, name, wo_code } = value as Record<string, unknown>;
  if (typeof _from === "string" && typeof _to === "string") {
    const id = typeof _id === "string" ? _id : `${_from}>${_to}`;
    graph.edges.set(id, { from: _from, to: _to, label: id.split("/")[0] ?? "" });
  } else if (typeof _id === "string") {
    const title = [code, wo_code, name].find((text) => typeof text === "string");
    graph.vertices.set(_id, title ? `${String(title)}\n${_id}` : _id);
  } else {
    Object.values(value).forEach((entry) => collect(entry, graph, depth - 1));
  }
}
