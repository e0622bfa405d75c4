/** Filled in by the service: the list of users without what is secret of them. */
export const GIVEN = "users";

/** The bind parameters to be given with a query: `name` of `@name`, `@name` of `@@name`, in the order in which they occur. */
export function parametersOf(query: string): string[] {
  const plain = query.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|´(?:\\.|[^´\\])*´/g, " ");
  return [...new Set([...plain.matchAll(/@(@?\w+)/g)].map(([, name]) => name!))].filter((name) => name !== GIVEN);
}

/** What a person typed, as a value: JSON where it is JSON, else the text itself. So 5 is a number and "5" in quotes a text. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
