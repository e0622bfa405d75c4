import type { Completion, CompletionContext, CompletionResult, CompletionSource } from "@codemirror/autocomplete";
import { GIVEN } from "./binds";
import type { DatabaseSchema } from "./load";

/** Completion of keywords, functions, collections, and behind a dot the attributes of what the variable runs over. */
export function completion(schema: DatabaseSchema): CompletionSource {
  const words: Completion[] = [
    ...schema.keywords.map((label) => ({ label, type: "keyword" })),
    ...schema.functions.map(({ name, min_arguments: min, max_arguments: max }) => ({
      label: name, type: "function", detail: max === min ? `(${min})` : `(${min}–${max ?? "…"})`, apply: `${name}(`,
    })),
    { label: `@${GIVEN}`, type: "constant" },
    ...schema.collections.map(({ name, type }) => ({ label: name, type: "class", detail: type })),
  ];
  return (context) => attributes(schema, context) ?? named(words, context);
}

function named(words: Completion[], context: CompletionContext): CompletionResult | null {
  const typed = context.matchBefore(/@?[A-Za-z_]\w*/);
  if (!typed && !context.explicit) return null;
  return { from: typed?.from ?? context.pos, options: words, validFor: /^@?\w*$/ };
}

function attributes(schema: DatabaseSchema, context: CompletionContext): CompletionResult | null {
  const typed = context.matchBefore(/\w+\.\w*/);
  if (!typed) return null;
  const [variable = "", part = ""] = typed.text.split(".", 2);
  const names = collectionsOf(variable, context.state.doc.toString());
  const known = schema.collections.filter(({ name }) => names.includes(name));
  const found = new Map<string, Completion>();
  for (const collection of known.length ? known : schema.collections) {
    for (const { name, types } of collection.attributes) found.set(name, { label: name, type: "property", detail: types.join(", ") });
  }
  return { from: context.pos - part.length, options: [...found.values()], validFor: /^\w*$/ };
}

/** The collections that a variable of `FOR` runs over: `FOR v IN Serial`, `FOR v, e IN 1..3 OUTBOUND x contains`. */
function collectionsOf(variable: string, query: string): string[] {
  const loops = query.matchAll(/\bFOR\s+(\w+)(?:\s*,\s*(\w+))?(?:\s*,\s*\w+)?\s+IN\s+([^\n]*)/gi);
  return [...loops].flatMap(([, vertex, edge, source]) => (vertex === variable || edge === variable ? (source?.match(/[A-Za-z_]\w*/g) ?? []) : []));
}
