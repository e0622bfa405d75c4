/** The sheets of tasks and issues. */
import { api, ask } from "../../api/client";
import { Problem } from "../../api/problem";
import { word } from "../../lang/index.svelte";
import { link } from "../../lib/router.svelte";
import type { Cell, Rows, Sheet } from "./sheet";
import { tone } from "./sheet";

interface Field { label?: string | null; custom_field_key?: string | null; value?: unknown }
const form = (fields: Field[]): Rows => ({
  title: "thing.form", columns: ["field", "value"], empty: "thing.noForm",
  rows: fields.map((field): Cell[] => [{ text: field.label ?? field.custom_field_key }, { value: field.value }]),
});

export async function task(key: string, signal: AbortSignal): Promise<Sheet> {
  const found = await ask(api.GET("/task/{task_key}", { params: { path: { task_key: key } }, signal }));
  return {
    code: found.code ?? key, title: found.title, badges: [{ text: word("state", found.status), tone: tone(found.status) }],
    facts: [
      ["thing.description", { text: found.description }], ["type", { text: found.task_type_name }], ["due", { at: found.due_by }],
      ["created", { at: found.created }], ["thing.createdBy", { text: found.created_by }], ["thing.closed", { at: found.closed }],
    ],
    tables: [form((found.form_fields ?? []) as Field[])], links: [],
  };
}

/** What issues are linked to, with the member of the linked document that people know it by. */
const LINKED = [["serial", "serial", "code"], ["product", "product", "code"], ["work_order", "work-order", "wo_code"]] as const;

export async function issue(key: string, signal: AbortSignal): Promise<Sheet> {
  const [found] = await ask(api.GET("/issue", { params: { query: { issue_key: [key], with_links: true, limit: 1 } }, signal }));
  if (!found) throw new Problem(404, "");
  const documents = (found.links ?? {}) as Record<string, { _key?: string; [member: string]: unknown } | null | undefined>;
  const rows = LINKED.flatMap(([kind, page, member]): Cell[][] => {
    const document = documents[kind];
    return document?._key ? [[{ text: word("kind", kind) }, { text: String(document[member] ?? document._key), href: link([page, document._key]) }]] : [];
  });
  const status = found.closed ? "closed" : "open";
  return {
    code: key, title: found.issue_type_name, badges: [{ text: word("state", status), tone: found.closed ? "ok" : "warn" }],
    facts: [["created", { at: found.created }], ["thing.createdBy", { text: (found.created_by ?? "").replace("User/", "") }], ["thing.closed", { at: found.closed }]],
    tables: [form((found.data ?? []) as Field[]), { title: "thing.linked", columns: ["type", "code"], rows, empty: "thing.noLinks" }], links: [],
  };
}
