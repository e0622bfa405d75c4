import { may } from "../api/session.svelte";
import type { Text } from "../lang/index.svelte";

/** A page of the frame's navigation. */
interface Section {
  path: string;
  title: Text;
  /** Any of these opens it; none: everybody. */
  scopes: string[];
}

const SECTIONS: Section[] = [
  { path: "", title: "section.search", scopes: [] },
  { path: "recall", title: "section.recall", scopes: ["serial:read"] },
  { path: "plant", title: "section.plant", scopes: ["production:work-order:read", "inventory:inventory:read"] },
  { path: "record", title: "section.record", scopes: ["production:job:record"] },
  { path: "aql", title: "section.aql", scopes: ["data:aql:read"] },
];

/** The pages that the caller may open. */
export function sections(): Section[] {
  return SECTIONS.filter(({ scopes }) => scopes.length === 0 || scopes.some(may));
}
