/** What went wrong with a call: its status (0: the service could not be reached) and what the service said. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Texts at the members they concern: `form_data.0.value`. */
    readonly fields: Record<string, string> = {},
    readonly requiredScope?: string,
    /** Where in a query it is, from 1. */
    readonly place?: { line: number; column: number },
  ) {
    super(message);
  }

  get unreachable(): boolean {
    return this.status === 0;
  }

  get notAllowed(): boolean {
    return this.status === 403;
  }

  get notFound(): boolean {
    return this.status === 404;
  }
}

interface Invalid {
  loc: (string | number)[];
  msg: string;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
const isInvalid = (value: unknown): value is Invalid => isObject(value) && Array.isArray(value.loc) && typeof value.msg === "string";

function fieldsOf(list: unknown): Record<string, string> {
  if (!Array.isArray(list)) return {};
  return Object.fromEntries(list.filter(isInvalid).map(({ loc, msg }) => [loc.slice(1).join("."), msg]));
}

/** Reads the three forms in which the service tells a mistake: a validation list, an object with a message, a text. */
export function problemOf(status: number, body: unknown): Problem {
  const detail = isObject(body) ? (body.detail ?? body) : body;
  if (Array.isArray(detail)) {
    const fields = fieldsOf(detail);
    return new Problem(status, Object.entries(fields).map(([name, text]) => `${name}: ${text}`).join("; "), fields);
  }
  if (isObject(detail)) {
    const message = typeof detail.message === "string" ? detail.message : "";
    const scope = typeof detail.required_scope === "string" ? detail.required_scope : undefined;
    const { line, column } = detail;
    const place = typeof line === "number" && typeof column === "number" ? { line, column } : undefined;
    return new Problem(status, message, fieldsOf(detail.errors), scope, place);
  }
  return new Problem(status, typeof detail === "string" ? detail : "");
}

/** Whatever was thrown, as a problem; a failed request of the browser counts as unreachable. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DOMException && error.name === "AbortError") return new Problem(0, "");
  if (error instanceof TypeError && /fetch|network|load failed/i.test(error.message)) return new Problem(0, "");
  return new Problem(-1, error instanceof Error ? error.message : String(error));
}
