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
];

/** The pages that the caller may open. */
export function sections(): Section[] {
  return SECTIONS.filter(({ scopes }) => scopes.length === 0 || scopes.some(may));
}
