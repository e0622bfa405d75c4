/** Hands a file to the browser to be kept. */
export function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Rows as CSV (RFC 4180), with a mark that tells spreadsheets it is UTF-8. */
export function csv(header: string[], rows: unknown[][]): Blob {
  const lines = [header, ...rows].map((row) => row.map(cell).join(","));
  return new Blob(["\uFEFF", lines.join("\r\n"), "\r\n"], { type: "text/csv;charset=utf-8" });
}

/** A spreadsheet would run a text that begins like a formula: such a text gets an apostrophe in front. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const plain = typeof value === "object" ? JSON.stringify(value) : String(value);
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
