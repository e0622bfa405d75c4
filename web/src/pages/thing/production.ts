/** The sheets of products and work orders. */
import { api, ask, detail } from "../../api/client";
import { may } from "../../api/session.svelte";
import { word } from "../../lang/index.svelte";
import { link } from "../../lib/router.svelte";
import type { Cell, Rows, Sheet } from "./sheet";
import { tone } from "./sheet";

const SHOWN = 200;

async function serialRows(query: { product_key?: string[]; work_order_search?: string }, signal: AbortSignal, keep: (row: { wo_key?: string | null }) => boolean): Promise<Rows[]> {
  if (!may("serial:read")) return [];
  const found = await ask(api.GET("/serial", { params: { query: { ...query, limit: SHOWN } }, signal }));
  return [{
    title: "kinds.serial", columns: ["serial", "created", "serial.released"], empty: "thing.noSerials",
    rows: found.filter(keep).map((row): Cell[] => [{ text: row.code ?? row._key, href: link(["serial", row._key]) }, { at: row.created }, { at: row.released }]),
  }];
}

export async function product(key: string, signal: AbortSignal): Promise<Sheet> {
  const [data, bom, serials] = await Promise.all([
    ask(api.GET("/product/{product_key}", { params: { path: { product_key: key } }, signal })),
    may("product:bom:read") ? ask(api.GET("/product/{product_key_or_code}/bom", { params: { path: { product_key_or_code: key } }, signal })) : Promise.resolve([]),
    serialRows({ product_key: [key] }, signal, () => true),
  ]);
  const lines = bom as { component_key: string; component_code?: string | null; component_description?: string | null; qt?: number | null; phase_name?: string | null }[];
  return {
    code: data.code ?? key, title: data.description, badges: [],
    facts: [["created", { at: data.created }], ["thing.traced", { text: word("traced", data.traceability_level) }]],
    tables: [
      {
        title: "thing.bom", columns: ["product", "thing.description", "serial.quantity", "phase"], empty: "thing.noBom",
        rows: lines.map((line) => [{ text: line.component_code, href: link(["product", line.component_key]) }, { text: line.component_description }, { text: line.qt }, { text: line.phase_name }]),
      },
      ...serials,
    ],
    links: may("serial:read") ? [{ text: "thing.recall", href: link(["recall"], { product: data.code }) }] : [],
  };
}

interface Order {
  wo_code: string; product_key: string; product_code: string; product_description: string | null; status: string; progress: number; qt_completed: number; qt_planned: number;
  project_code: string | null; due_by: string | null; start: string | null; end: string | null; notes: string | null;
  jobs: { _key: string; phase_alias: string | null; stage: string; progress: number; qt_completed: number; qt_planned: number; active: boolean; assigned_to: { name: string | null; surname: string | null } | null }[];
}

export async function workOrder(key: string, signal: AbortSignal): Promise<Sheet> {
  const order = await detail<Order>(api.GET("/work-order/{wo_key}", { params: { path: { wo_key: key } }, signal }));
  const serials = await serialRows({ work_order_search: order.wo_code }, signal, (row) => row.wo_key === key);
  return {
    code: order.wo_code, title: [order.product_code, order.product_description].filter(Boolean).join(" · "),
    badges: [{ text: word("state", order.status), tone: tone(order.status) }],
    facts: [
      ["thing.progress", { progress: order.progress, text: `${order.qt_completed} / ${order.qt_planned}` }],
      ["product", { text: order.product_code, href: link(["product", order.product_key]) }],
      ["serial.project", { text: order.project_code }], ["due", { day: order.due_by }], ["thing.start", { at: order.start }], ["thing.end", { at: order.end }], ["thing.notes", { text: order.notes }],
    ],
    tables: [
      {
        title: "thing.jobs", columns: ["phase", "status", "thing.progress", "operator"], empty: "thing.noJobs",
        rows: order.jobs.map((job): Cell[] => [
          { text: job.phase_alias, href: may("production:job:record") ? link(["record", job._key]) : undefined },
          { badge: { text: job.active ? word("state", "at_work") : word("state", job.stage), tone: job.active ? "accent" : tone(job.stage) } },
          { progress: job.progress, text: `${job.qt_completed} / ${job.qt_planned}` },
          { text: [job.assigned_to?.name, job.assigned_to?.surname].filter(Boolean).join(" ") },
        ]),
      },
      ...serials,
    ],
    links: [],
  };
}
