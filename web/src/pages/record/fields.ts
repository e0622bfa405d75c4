/** From what is typed into a field to what the service takes, and back from what it refuses to the field. */
import type { Problem } from "../../api/problem";
import type { Field } from "./load";

export interface Draft {
  field: Field;
  text: string;
  files: File[];
  /** What was recorded before; it stands while nothing new is entered. */
  stored: unknown;
}

function valueOf({ field, text, files, stored }: Draft): unknown {
  if (field.type === "files") return files.length ? files.map(({ name }) => ({ name })) : (stored ?? null);
  if (text === "") return stored ?? null;
  if (field.type === "number") return Number.isNaN(Number(text.replace(",", "."))) ? text : Number(text.replace(",", "."));
  if (field.type === "boolean") return text === "true";
  if (field.type === "ternary") return text === "null" ? null : text === "true";
  if (field.type === "choice") {
    const option = field.options.find(({ _key }) => _key === text) ?? null;
    return field.multiple && option ? [option] : option;
  }
  return text;
}

/** The values of a form as an event carries them. */
export function valuesOf(drafts: Record<string, Draft>): { form_field_key: string; custom_field_key: string; value: unknown }[] {
  return Object.values(drafts)
    .filter(({ field }) => field.type !== "separator")
    .map((draft) => ({ form_field_key: draft.field._key, custom_field_key: draft.field.custom_field_key, value: valueOf(draft) }));
}

/** The service names the member (`form_data.0.value`) or begins with the label of the field; the rest concerns the form (""). */
export function mistakesOf({ message, fields: named }: Problem, fields: Field[]): Record<string, string> {
  const shown = fields.filter(({ type }) => type !== "separator");
  const found: Record<string, string> = {};
  for (const [member, text] of Object.entries(named)) {
    const index = /^form_data\.(\d+)/.exec(member)?.[1];
    const field = index === undefined ? undefined : shown[Number(index)];
    found[field?._key ?? ""] = text;
  }
  const byLabel = [...shown].sort((one, other) => other.label.length - one.label.length).find(({ label }) => message.startsWith(label));
  if (byLabel) found[byLabel._key] = message;
  return Object.keys(found).length ? found : { "": message };
}
