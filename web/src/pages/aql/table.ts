/** Rows of any kind as a table. */

/** Rows from which the columns are taken. */
const LOOKED_AT = 1000;
/** The one column of rows that are no objects. */
export const PLAIN = "value";

const isObject = (row: unknown): row is Record<string, unknown> => typeof row === "object" && row !== null && !Array.isArray(row);

/** The members that occur in the rows, in the order in which they first do. */
export function columnsOf(rows: unknown[]): string[] {
  const names = new Set<string>();
  for (const row of rows.slice(0, LOOKED_AT)) {
    if (isObject(row)) Object.keys(row).forEach((name) => names.add(name));
    else names.add(PLAIN);
  }
  return [...names];
}

/** A row's value in a column. */
export function cellOf(row: unknown, column: string): unknown {
  return isObject(row) ? row[column] : column === PLAIN ? row : undefined;
}
