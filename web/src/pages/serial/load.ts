/** What the page of a serial shows beside its genealogy. */
import { api, ask, detail, type Schema } from "../../api/client";
import { Problem } from "../../api/problem";
import { may } from "../../api/session.svelte";

export type SerialRow = Omit<Schema["SerialSearchResult"], "product"> & { product?: { code?: string | null; description?: string | null } | null };
export type Place = { key: string; code: string }[];
export type State = "deleted" | "installed" | "in_stock" | "in_production" | "gone";

export interface Facts {
  serial: SerialRow;
  state: State;
  /** From the root position down; null when the caller may not see stock. */
  place: Place | null;
  /** The unit that contains it now. */
  holder: { key: string; code: string | null; product: string | null } | null;
}

/** A serial, what became of it and where it is. */
export async function facts(key: string, signal: AbortSignal): Promise<Facts> {
  const rows = await ask(api.GET("/serial", { params: { query: { serial_key: [key], include_deleted: true, limit: 1 } }, signal }));
  const serial = rows[0] as SerialRow | undefined;
  if (!serial) throw new Problem(404, "");
  const [users, stock] = await Promise.all([
    // A deleted serial has no users, and to ask for them is a mistake.
    serial.deleted ? [] : ask(api.GET("/serial/{serial_key}/where-used", { params: { path: { serial_key: key }, query: { limit: 1 } }, signal })),
    may("inventory:inventory:read")
      ? ask(api.GET("/inventory", { params: { query: { serial_keys: [key], limit: 1 } }, signal }))
      : Promise.resolve(null),
  ]);
  const user = users[0];
  const lies = stock?.[0];
  const place = stock && (lies?.path ?? []).map((step) => ({ key: step.position_key ?? "", code: step.position_code ?? step.position_key ?? "" }));
  const state: State = serial.deleted ? "deleted" : user ? "installed" : lies ? "in_stock" : serial.released ? "gone" : "in_production";
  return { serial, state, place, holder: user ? { key: user.serial_key, code: user.serial_code ?? null, product: user.product_code ?? null } : null };
}

/** The journal of a serial, the latest first. */
export function events(key: string, limit: number, signal: AbortSignal): Promise<Schema["RecordedEvent"][]> {
  return ask(api.GET("/event", { params: { query: { serial_key: key, order: "desc", limit } }, signal }));
}

/** The movements of a serial, the latest first. */
export function movements(key: string, signal: AbortSignal) {
  return ask(api.GET("/movement", { params: { query: { serial_keys: [key], limit: 500 } }, signal }));
}

/** Issues linked to a serial, be it alone or with others. */
export function issues(key: string, signal: AbortSignal) {
  return ask(api.GET("/issue", { params: { query: { serial_key: [key], limit: 500 } }, signal }));
}

/** Tasks linked to a serial. */
export function tasks(key: string, signal: AbortSignal) {
  return ask(api.GET("/task", { params: { query: { serial_key: key, limit: 500 } }, signal }));
}

export interface RecordOptions {
  children: boolean;
  steps: boolean;
  attachments: boolean;
}

/** The device history record as a file. */
export async function record(key: string, { children, steps, attachments }: RecordOptions, signal: AbortSignal): Promise<Blob> {
  const query = { include_children: children, include_step_data: steps, include_attachments: attachments };
  const blob: unknown = await ask(api.GET("/serial/{serial_key}/dhr", { params: { path: { serial_key: key }, query }, parseAs: "blob", signal }));
  return blob as Blob;
}

export interface StepRow {
  step_title: string | null;
  serial_key: string | null;
  operator_key: string | null;
  operator_username: string | null;
  timestamp: string | null;
  phase_alias: string | null;
  form_fields: { label?: string | null; field_label?: string | null; value?: unknown }[];
}

/** The steps of a work order in which a serial was worked on. */
export async function steps(workOrderKey: string, serialKey: string, signal: AbortSignal): Promise<StepRow[]> {
  const rows = await detail<StepRow[]>(api.GET("/work-order/{wo_key}/traceability", { params: { path: { wo_key: workOrderKey } }, signal }));
  return rows.filter((row) => row.serial_key === serialKey);
}

export interface Attachment {
  label: string;
  name: string;
  path: string[];
}

/** The files among the recorded values of a serial: lists of objects with a name, kept below the serial and the field. */
export function attachmentsOf(serial: SerialRow): Attachment[] {
  return (serial.data ?? []).flatMap((field) => {
    const files = Array.isArray(field.value) ? (field.value as { name?: unknown }[]) : [];
    return files.flatMap((entry) =>
      typeof entry?.name === "string" && field.form_field_key
        ? [{ label: field.label ?? "", name: entry.name, path: ["serial", serial._key, field.form_field_key, entry.name] }]
        : [],
    );
  });
}
