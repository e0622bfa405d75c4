import type { Plan, PlanNode } from "./load";

/** A node of the plan with how far in it stands. */
export interface PlanRow {
  node: PlanNode;
  depth: number;
}

/** The plan as a tree in rows: what is asked for first, what it takes from below it, subqueries one step further in. */
export function rowsOf(plan: Plan): PlanRow[] {
  return branch(plan.nodes, 0);
}

function branch(nodes: PlanNode[], depth: number): PlanRow[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const used = new Set(nodes.flatMap((node) => node.dependencies));
  const rows: PlanRow[] = [];
  const seen = new Set<number>();
  const walk = (node: PlanNode, at: number): void => {
    if (seen.has(node.id)) return;
    seen.add(node.id);
    rows.push({ node, depth: at });
    if (node.subquery?.length) rows.push(...branch(node.subquery, at + 1));
    for (const id of node.dependencies) {
      const next = byId.get(id);
      if (next) walk(next, at + 1);
    }
  };
  for (const node of nodes) if (!used.has(node.id)) walk(node, depth);
  return rows;
}
