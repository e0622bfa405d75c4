import type { Text } from "../lang/index.svelte";
import { link } from "./router.svelte";

/** What can be found by a code. */
export const KINDS = ["serial", "lot", "product", "work_order", "position", "movement_list", "task", "issue"] as const;
export type Kind = (typeof KINDS)[number];

const PAGES: Record<Kind, string> = {
  serial: "serial", lot: "serial", product: "product", work_order: "work-order",
  position: "position", movement_list: "list", task: "task", issue: "issue",
};

/** The page of a thing. */
export function pageOf(kind: string, key: string): string {
  return link([PAGES[kind as Kind] ?? kind, key]);
}

/** The plural of a kind, as the title of its group. */
export function groupTitle(kind: string): Text {
  return `kinds.${kind as Kind}`;
}
