import { api, ask, type Schema } from "../../api/client";

export type Hits = Schema["ExplorerHits"];
export type Hit = Schema["ExplorerHit"];

/** A hit with the kind of its group. */
export interface Found extends Hit {
  kind: string;
}

/** What has a code like the text, grouped by kind. */
export async function find(text: string, limit: number, signal?: AbortSignal): Promise<Hits> {
  return ask(api.GET("/explore/search", { params: { query: { q: text, limit } }, signal: signal ?? null }));
}

/** All hits in the order of their groups. */
export function flat(hits: Hits): Found[] {
  return hits.groups.flatMap((group) => group.hits.map((hit) => ({ ...hit, kind: group.kind })));
}

/** The one thing that is meant: the only hit, or the only one that is called exactly so. */
export function onlyHit(hits: Hits): Found | null {
  const all = flat(hits);
  const exact = all.filter((hit) => hit.exact);
  return all.length === 1 ? (all[0] ?? null) : exact.length === 1 ? (exact[0] ?? null) : null;
}
