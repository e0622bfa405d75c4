/** Queries on the service's database. */
import { api, ask, type Schema } from "../../api/client";

export type Answer = Schema["AqlAnswer"];
export type Plan = NonNullable<Answer["plan"]>;
export type PlanNode = Plan["nodes"][number];
export type DatabaseSchema = Schema["AqlSchema"];

export interface Question {
  query: string;
  binds: Record<string, unknown>;
  limit: number;
  /** Measure every node of the plan while it runs. */
  profile: boolean;
  /** Only say how it would run. */
  explain: boolean;
}

export function run({ query, binds, limit, profile, explain }: Question, id: string): Promise<Answer> {
  return ask(api.POST("/aql", { body: { query, bind_vars: binds, query_id: id, limit, profile, explain } }));
}

/** Stops a running query. That it has ended meanwhile is no error. */
export async function stop(id: string): Promise<void> {
  await api.DELETE("/aql/{query_id}", { params: { path: { query_id: id } } }).catch(() => undefined);
}

export function schema(signal: AbortSignal): Promise<DatabaseSchema> {
  return ask(api.GET("/aql/schema", { signal }));
}
