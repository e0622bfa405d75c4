/** The editor, loaded with the page that needs it. */
import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { completion } from "./complete";
import { aql, colours } from "./language";
import type { DatabaseSchema } from "./load";

interface Hands {
  label: string;
  changed: (text: string) => void;
  run: () => void;
}

/** What can be done with an editor from outside. */
export interface Editor {
  text: (next: string) => void;
  /** Puts the cursor where a mistake is, from 1. */
  point: (line: number, column: number) => void;
  destroy: () => void;
}

/**
 * An editor in a shadow root: there its styles are adopted as sheets, which a policy without inline styles allows.
 * Tab leaves it, as everywhere on the page.
 */
export function start(host: HTMLElement, text: string, schema: DatabaseSchema, { label, changed, run }: Hands): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), closeBrackets(), EditorView.lineWrapping,
        aql(schema.keywords), syntaxHighlighting(colours), autocompletion({ override: [completion(schema)] }), look,
        EditorView.contentAttributes.of({ "aria-label": label }),
        keymap.of([{ key: "Mod-Enter", preventDefault: true, run: () => (run(), true) }, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of(({ docChanged, state }) => { if (docChanged) changed(state.doc.toString()); }),
      ],
    }),
  });
  return {
    text: (next) => {
      if (next !== view.state.doc.toString()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    point: (line, column) => {
      if (line > view.state.doc.lines) return;
      const at = view.state.doc.line(line);
      const anchor = Math.min(at.from + Math.max(column - 1, 0), at.to);
      view.dispatch({ selection: { anchor }, scrollIntoView: true });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

const look = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--surface)", border: "1px solid var(--strong-line)", borderRadius: "8px", fontSize: "0.95rem" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "2px" },
  ".cm-content": { fontFamily: "var(--mono)", minHeight: "9rem", caretColor: "var(--text)" },
  ".cm-scroller": { maxHeight: "50vh", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--muted)", border: "none", borderRadius: "8px 0 0 8px" },
  ".cm-activeLine": { backgroundColor: "color-mix(in oklab, var(--raised), transparent 40%)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--text)", border: "1px solid var(--strong-line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
});
