/** A recall: where it starts, and which units it reaches. */
import { api, ask, type Schema } from "../../api/client";
import { Problem } from "../../api/problem";
import { find } from "../search/find";

export type Recall = Schema["RecallAnswer"];
export type RecallUnit = Schema["RecallUnit"];

/** Where a recall starts: one of the four, within a time span. All of it stands in the address, which is the permanent link. */
export interface Start {
  kind: "serial" | "code" | "batch" | "product";
  value: string;
  from: string;
  to: string;
  replaced: boolean;
}

export const KINDS: Start["kind"][] = ["code", "batch", "product", "serial"];
/** Units asked for at once: all that the service answers. */
const ALL = 10_000;

/** The start that an address names, if it names one. */
export function startOf(query: URLSearchParams): Start | null {
  const kind = KINDS.find((name) => query.get(name));
  if (!kind) return null;
  return { kind, value: query.get(kind) ?? "", from: query.get("from") ?? "", to: query.get("to") ?? "", replaced: query.get("replaced") === "1" };
}

/** The parameters of the address of a start. */
export function addressOf({ kind, value, from, to, replaced }: Start): Record<string, string> {
  return { [kind]: value, ...(from && { from }), ...(to && { to }), ...(replaced && { replaced: "1" }) };
}

export async function recall({ kind, value, from, to, replaced }: Start, signal: AbortSignal): Promise<Recall> {
  const start = kind === "code" ? { code: value } : kind === "batch" ? { batch: value } : kind === "product" ? { product_key: await productKey(value, signal) } : { serial_key: value };
  const query = { ...start, ...(from && { from }), ...(to && { to }), include_replaced: replaced, limit: ALL };
  return ask(api.GET("/explore/recall", { params: { query }, signal }));
}

/** People know products by their code; the address holds it too. */
async function productKey(code: string, signal: AbortSignal): Promise<string> {
  const { groups } = await find(code, 10, signal);
  const hit = groups.find(({ kind }) => kind === "product")?.hits.find(({ exact }) => exact);
  if (!hit) throw new Problem(404, "");
  return hit.key;
}

/** The states a unit can be in, in the order in which a recall has to deal with them. */
export const STATES = ["shipped", "released", "in_stock", "in_production", "deleted"] as const;

/** The header and rows of the CSV file: one row a unit, codes and keys as the service knows them. */
export function table(units: RecallUnit[]): { header: string[]; rows: unknown[][] } {
  const header = ["serial_key", "serial_code", "product_code", "product_description", "state", "position", "shipped", "partner", "work_order", "project", "released", "still_inside"];
  const rows = units.map((unit) => [
    unit.serial_key, unit.serial_code, unit.product_code, unit.product_description, unit.state,
    unit.positions.map(({ position_code, position_key }) => position_code ?? position_key).join(" / "),
    unit.shipment?.end, unit.shipment?.partner_name, unit.wo_code, unit.project_code, unit.released, unit.current,
  ]);
  return { header, rows };
}
