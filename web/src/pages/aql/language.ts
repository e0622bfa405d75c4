import { HighlightStyle, StreamLanguage, type StringStream } from "@codemirror/language";
import { tags } from "@lezer/highlight";

interface State {
  comment: boolean;
}

/** AQL as far as colours need it: keywords come from the service, which knows what its database takes. */
export function aql(keywords: string[]): StreamLanguage<State> {
  const words = new Set(keywords.map((word) => word.toUpperCase()));
  return StreamLanguage.define<State>({
    name: "aql",
    startState: () => ({ comment: false }),
    token: (stream, state) => token(stream, state, words),
    languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } }, closeBrackets: { brackets: ["(", "[", "{", '"', "'"] } },
  });
}

function token(stream: StringStream, state: State, words: Set<string>): string | null {
  if (state.comment || stream.match("/*")) {
    state.comment = !stream.skipTo("*/");
    if (state.comment) stream.skipToEnd();
    else stream.match("*/");
    return "comment";
  }
  if (stream.eatSpace()) return null;
  if (stream.match("//")) {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match(/^"(?:\\.|[^"\\])*"?|^'(?:\\.|[^'\\])*'?/)) return "string";
  if (stream.match(/^@@?\w+/)) return "labelName";
  if (stream.match(/^(?:0x[\da-f]+|0b[01]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)/i)) return "number";
  if (stream.match(/^\.(?=[A-Za-z_])/)) {
    stream.match(/^\w+/);
    return "propertyName";
  }
  if (stream.match(/^[A-Za-z_]\w*(?=\s*\()/)) return words.has(stream.current().toUpperCase()) ? "keyword" : "className";
  if (stream.match(/^[A-Za-z_]\w*/)) return words.has(stream.current().toUpperCase()) ? "keyword" : "variableName";
  stream.next();
  return "operator";
}

/** In the colours of the page, which follow light and dark by themselves. */
export const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "bold" },
  { tag: tags.string, color: "var(--ok)" },
  { tag: tags.number, color: "var(--warn)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: tags.labelName, color: "var(--bad)" },
  { tag: tags.className, color: "var(--text)", fontWeight: "bold" },
]);
