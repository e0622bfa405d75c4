/** What is going on in the plant. */
import { api, ask, detail, type Schema } from "../../api/client";

const MANY = 500;
/** Stock records added up; a plant with more shows the sums of these and says so. */
export const STOCK_LIMIT = 10_000;

export interface Job {
  _key: string;
  wo_key: string;
  wo_code: string;
  product_code: string | null;
  phase_alias: string | null;
  operation_key: string | null;
  stage: string;
  active: boolean;
  progress: number;
  qt_completed: number;
  qt_planned: number;
  active_batch_qt: number;
  assigned_to: { name: string | null; surname: string | null } | null;
}

export interface Work {
  orders: Schema["WorkOrderRow"][];
  jobs: Job[];
}

export async function work(signal: AbortSignal): Promise<Work> {
  const [orders, jobs] = await Promise.all([
    ask(api.GET("/work-order", { params: { query: { open: true, closed: false, limit: MANY } }, signal })),
    detail<Job[]>(api.GET("/job", { signal })),
  ]);
  return { orders, jobs };
}

export type PositionNode = Schema["PositionTreeNode"];

/** A position with all that lies at it and below it. */
export interface Shelf {
  key: string;
  code: string;
  pieces: number;
  children: Shelf[];
}

export interface Stock {
  shelves: Shelf[];
  isPart: boolean;
}

export async function stock(signal: AbortSignal): Promise<Stock> {
  const [tree, rows] = await Promise.all([
    ask(api.GET("/position-hierarchy", { params: { query: { position_key: "IN" } }, signal })),
    ask(api.GET("/inventory", { params: { query: { limit: STOCK_LIMIT } }, signal })),
  ]);
  const at = new Map<string, number>();
  for (const { position_key, quantity } of rows) if (position_key) at.set(position_key, (at.get(position_key) ?? 0) + quantity);
  return { shelves: tree.map((node) => shelf(node, at)), isPart: rows.length === STOCK_LIMIT };
}

function shelf(node: PositionNode, at: Map<string, number>): Shelf {
  const children = (node.children ?? []).map((child) => shelf(child, at));
  const pieces = children.reduce((sum, child) => sum + child.pieces, at.get(node.position_key) ?? 0);
  return { key: node.position_key, code: node.code ?? node.position_key, pieces, children };
}

export function openIssues(signal: AbortSignal) {
  return ask(api.GET("/issue", { params: { query: { issue_open: true, limit: MANY } }, signal }));
}

/** Tasks that wait or are open, the ones due first at the beginning; those without a date at the end. */
export async function dueTasks(signal: AbortSignal) {
  const found = await ask(api.GET("/task", { params: { query: { status_pending: true, status_open: true, limit: MANY } }, signal }));
  return found.sort((one, other) => (one.due_by ?? "9999").localeCompare(other.due_by ?? "9999"));
}
