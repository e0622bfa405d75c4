import type { Text } from "../../lang/index.svelte";
import type { Tone } from "../../parts/Badge.svelte";

/** A text of the sheet, perhaps with the address it leads to. */
export interface Cell {
  text?: string | number | null | undefined;
  href?: string | undefined;
  /** A stored time, shown in the browser's zone. */
  at?: string | null | undefined;
  /** A day without a time. */
  day?: string | null | undefined;
  /** A recorded value of any kind. */
  value?: unknown;
  badge?: { text: string; tone: Tone };
  /** Done, of 100. */
  progress?: number;
}

export interface Rows {
  title: Text;
  columns: Text[];
  rows: Cell[][];
  empty: Text;
}

/** What a page shows of a product, an order, a position, a list, a task or an issue: facts, and tables of what belongs to it. */
export interface Sheet {
  code: string;
  title?: string | null | undefined;
  badges: { text: string; tone: Tone }[];
  facts: [Text, Cell][];
  tables: Rows[];
  links: { text: Text; href: string }[];
}

/** The colour of a status. */
export function tone(status: string | null | undefined): Tone {
  if (status === "completed" || status === "closed" || status === "done") return "ok";
  if (status === "started" || status === "in_progress") return "accent";
  return status === "canceled" || status === "suspended" ? "warn" : "plain";
}
