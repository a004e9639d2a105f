// The editor: CodeMirror with the marks of mistakes and completion from the scene's schema. esbuild makes one script of this
// and what it imports (./dev web).
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { choicesAt } from "./completion.js";

const theme = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--soft)", border: "0" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { background: "color-mix(in srgb, var(--accent) 25%, transparent) !important" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "6px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--paper)" },
  ".cm-completionInfo": { maxWidth: "320px", padding: "5px 8px" },
  ".cm-diagnostic": { maxWidth: "420px" },
});
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.definition(tags.propertyName), color: "var(--accent)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--ink)" },
  { tag: tags.punctuation, color: "var(--soft)" },
]);

const kNumber = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?(?=\s*([,}\]]|$)|\s+#)/i;

// names(): what materials there are, and so on: of the scene that runs.
window.makeEditor = (parent, { schema, changed, run, names }) => {
  let followed = []; // numbers by name: where they stand now
  const complete = (context) => {
    const found = choicesAt(schema, context.state.doc.toString(), context.pos, names ? names() : {});
    if (!found || (!context.explicit && found.from === context.pos && !found.isKey)) return null;
    return { from: found.from, options: found.options, validFor: /^[\w./]*$/ };
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), closeBrackets(), indentUnit.of("  "),
        yaml(), syntaxHighlighting(colours), theme, lintGutter(), EditorView.lineWrapping,
        autocompletion({ override: [complete], icons: false }),
        EditorView.contentAttributes.of({ "aria-label": "Text of the scene" }),
        keymap.of([
          { key: "Mod-Enter", run: () => (run(), true) },
          ...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          followed = followed.map(({ name, from, to }) => ({ name, from: update.changes.mapPos(from, -1), to: update.changes.mapPos(to, 1) }));
          changed();
        }),
      ],
    }),
  });
  const { dom } = view;
  // Whoever comes by the tab key leaves by it after Escape.
  const placeOf = (line, column) => {
    const { doc } = view.state;
    const at = doc.line(Math.min(Math.max(1, line), doc.lines));
    return Math.min(at.to, at.from + Math.max(0, column - 1));
  };
  return {
    dom,
    text: () => view.state.doc.toString(),
    set(text) {
      followed = [];
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
      // What the scene is stands below what is said about it.
      const first = /^[a-z_]+:/m.exec(text);
      view.requestMeasure({
        read: () => view.lineBlockAt(first ? first.index : 0).top,
        write: (top) => (view.scrollDOM.scrollTop = Math.max(0, top - 12)), // and the page stays where it is
      });
    },
    replace: (from, to, insert) => view.dispatch({ changes: { from, to, insert } }),
    // mistakes: {line, column, key, problem} each, from 1; without a place: line 0.
    mark(mistakes) {
      const marks = mistakes.map(({ line, column, key, problem }) => {
        const from = placeOf(line, column);
        const end = view.state.doc.lineAt(from);
        const word = /^[^\s,[\]{}]+/.exec(view.state.sliceDoc(from, end.to));
        const to = Math.max(from, from + (word ? word[0].length : 1));
        return { from, to: Math.min(to, end.to), severity: "error", message: key ? `${key}: ${problem}` : problem };
      });
      view.dispatch(setDiagnostics(view.state, marks));
    },
    goTo(line, column) {
      const at = placeOf(line, column);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    // The number that stands at a place; nothing if it is none.
    numberAt(line, column) {
      const from = placeOf(line, column);
      const found = kNumber.exec(view.state.sliceDoc(from, view.state.doc.lineAt(from).to));
      return found ? { from, to: from + found[0].length, value: Number(found[0]) } : null;
    },
    // From now on placeOfNumber knows these by name, whatever is written around them.
    follow(numbers) {
      followed = numbers.map(({ name, from, to }) => ({ name, from, to }));
    },
    placeOfNumber: (name) => followed.find((each) => each.name === name),
    // For tests: what is offered at the cursor.
    choices: (text, at) => choicesAt(schema, text, at, names ? names() : {}),
  };
};
