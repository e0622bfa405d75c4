/** The sheets of positions and movement lists. */
import { api, ask } from "../../api/client";
import { Problem } from "../../api/problem";
import { may } from "../../api/session.svelte";
import { t, word } from "../../lang/index.svelte";
import { link } from "../../lib/router.svelte";
import type { Cell, Sheet } from "./sheet";
import { tone } from "./sheet";

interface Content { type: string; code: string | null; product_key: string | null; product_code: string | null; product_description: string | null; quantity: number | null; serial_key: string | null; position_key: string | null }

export async function position(key: string, signal: AbortSignal): Promise<Sheet> {
  const found = (await ask(api.GET("/position/{position_key}", { params: { path: { position_key: key } }, signal }))) as {
    position: { code?: string | null; description?: string | null }; path?: { position_key: string; position_code: string | null }[] | null; contents?: Content[] | null;
  };
  const line = (row: Content): Cell[] => [
    { text: row.code ?? row.product_code, href: row.serial_key ? link(["serial", row.serial_key]) : row.position_key ? link(["position", row.position_key]) : row.product_key ? link(["product", row.product_key]) : undefined },
    { text: word("content", row.type) }, { text: [row.product_code, row.product_description].filter(Boolean).join(" · ") }, { text: row.quantity },
  ];
  return {
    code: found.position.code ?? key, title: found.position.description, badges: [],
    facts: [["serial.place", { text: (found.path ?? []).map((step) => step.position_code ?? step.position_key).join(" › ") }]],
    tables: [{ title: "thing.contents", columns: ["code", "type", "product", "serial.quantity"], rows: (found.contents ?? []).map(line), empty: "thing.emptyPosition" }],
    links: [],
  };
}

const place = (key: string | null | undefined, code: string | null | undefined): Cell =>
  key === "NULL" ? { text: t("place.production") } : key === "OUT" ? { text: t("place.outside") } : { text: code ?? key, href: key ? link(["position", key]) : undefined };

export async function movementList(key: string, signal: AbortSignal): Promise<Sheet> {
  const [lists, movements] = await Promise.all([
    ask(api.GET("/movement-list", { params: { query: { list_key: [key] } }, signal })),
    may("inventory:movement:read") ? ask(api.GET("/movement", { params: { query: { list_key: [key], limit: 1000 } }, signal })) : Promise.resolve([]),
  ]);
  const list = lists[0];
  if (!list) throw new Problem(404, "");
  const references = (list.references ?? {}) as Record<string, unknown>;
  return {
    code: list.code ?? key, title: word("movement", list.type), badges: [{ text: word("state", list.status), tone: tone(list.status) }],
    facts: [
      ["due", { day: list.due_by as string | null }], ["thing.start", { at: list.start }], ["thing.end", { at: list.end }],
      ["thing.partner", { value: references.partner_name }], ["thing.notes", { text: list.notes }],
    ],
    tables: [{
      title: "serial.side.movements", columns: ["product", "serial", "serial.quantity", "from", "to", "status"], empty: "thing.noMovements",
      rows: movements.map((row): Cell[] => [
        { text: row.product_code, href: row.product_key ? link(["product", row.product_key]) : undefined },
        { text: row.serial_code, href: row.serial_key ? link(["serial", row.serial_key]) : undefined },
        { text: row.qt_confirmed || row.qt_planned }, place(row.position_from_key, row.position_from_code), place(row.position_to_key, row.position_to_code),
        { badge: { text: word("state", row.status), tone: tone(row.status) } },
      ]),
    }],
    links: [],
  };
}
