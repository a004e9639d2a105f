// What can stand at a place of a scene's text, by the scene's schema (docs/scene.schema.json). The text is being written:
// it need not be a whole YAML document.

const kKey = /^("[^"]*"|'[^']*'|[^\s#:,[\]{}&*!|>'"%@`-][^:#,[\]{}]*?)\s*:(?=\s|$)/;
const bare = (key) => key.trim().replace(/^(["'])(.*)\1$/, "$2");

// Which keys and numbers of entries lead to a position; whether a key stands there or a value, and where what was written of
// it begins. keys: those that the mapping has before.
export function pathAt(text, position) {
  const stack = []; // {kind: "mapping", indent, key, keys}, {kind: "list", indent, entry}, {kind: "{", key, keys}, {kind: "[", entry}
  const top = () => stack.at(-1);
  const isFlow = () => stack.length > 0 && "{[".includes(top().kind);
  let written = 0; // where the present key or value begins
  let isKey = true;

  const enterList = (indent) => {
    while (stack.length > 0 && top().indent > indent) stack.pop();
    if (top()?.kind === "list" && top().indent === indent) ++top().entry;
    else stack.push({ kind: "list", indent, entry: 0 });
  };
  const enterMapping = (indent) => {
    while (stack.length > 0 && (top().indent > indent || (top().indent === indent && top().kind === "list"))) stack.pop();
    if (!(top()?.kind === "mapping" && top().indent === indent)) stack.push({ kind: "mapping", indent, key: null, keys: [] });
  };
  const takeKey = (key) => {
    top().key = key;
    top().keys.push(key);
    isKey = false;
  };
  // What follows a key, or goes on in braces, until the end of the line or the position.
  const scan = (from, end) => {
    for (let at = from; at < end; ++at) {
      const letter = text[at];
      if (letter === "#" && (at === 0 || /\s/.test(text[at - 1]))) return;
      if ((letter === '"' || letter === "'") && !text.slice(written, at).trim()) {
        const close = text.indexOf(letter, at + 1);
        if (close < 0 || close >= end) return;
        at = close;
      } else if (letter === "{" || letter === "[") {
        stack.push(letter === "{" ? { kind: "{", indent: Infinity, key: null, keys: [] } : { kind: "[", indent: Infinity, entry: 0 });
        isKey = letter === "{";
        written = at + 1;
      } else if ((letter === "}" || letter === "]") && isFlow()) {
        stack.pop();
        isKey = false;
        written = at + 1;
      } else if (letter === "," && isFlow()) {
        if (top().kind === "[") ++top().entry;
        isKey = top().kind === "{";
        written = at + 1;
      } else if (letter === ":" && isFlow() && top().kind === "{" && isKey && /\s|^$/.test(text[at + 1] ?? "")) {
        takeKey(bare(text.slice(written, at)));
        written = at + 1;
      }
    }
  };

  let start = 0;
  for (;;) {
    let end = text.indexOf("\n", start);
    if (end < 0) end = text.length;
    const isLast = end >= position;
    const line = text.slice(start, end);
    let at = start + /^ */.exec(line)[0].length;
    if (isFlow()) {
      scan(start, Math.min(end, position));
    } else if (isLast || (line.trim() && text[at] !== "#")) {
      for (let dash; (dash = /^-(\s+|$)/.exec(text.slice(at, end))); at += dash[0].length) {
        if (at >= position) break;
        enterList(at - start);
      }
      const key = kKey.exec(text.slice(at, end));
      if (key && at + key[0].length <= position) {
        enterMapping(at - start);
        takeKey(bare(key[1]));
        written = at + key[0].length;
        scan(written, Math.min(end, position));
      } else if (at < position && /[{["']/.test(text[at])) {
        written = at;
        isKey = false;
        scan(at, Math.min(end, position));
      } else if (isLast) {
        enterMapping(Math.min(at, position) - start);
        isKey = true;
        written = Math.min(at, position);
      }
    }
    if (isLast) break;
    start = end + 1;
  }
  const path = [];
  stack.forEach((each, k) => {
    if (each.kind === "list" || each.kind === "[") path.push(each.entry);
    else if (k < stack.length - 1 || !isKey) path.push(each.key);
  });
  while (written < position && /\s/.test(text[written])) ++written;
  return { path, isKey, from: written, keys: isKey ? top()?.keys ?? [] : [] };
}

// All parts of the schema that may hold for a value: alternatives are all looked at.
function alternatives(schema, root) {
  if (!schema || typeof schema !== "object") return [];
  if (schema.$ref) return alternatives(schema.$ref.replace(/^#\//, "").split("/").reduce((at, step) => at?.[step], root), root);
  const all = [schema];
  for (const kind of ["anyOf", "oneOf", "allOf"]) {
    for (const each of schema[kind] || []) all.push(...alternatives(each, root));
  }
  for (const kind of ["then", "else"]) all.push(...alternatives(schema[kind], root));
  return all;
}
export function schemasAt(root, path) {
  let now = alternatives(root, root);
  for (const step of path) {
    now = now.flatMap((schema) => {
      if (typeof step === "number") {
        const entry = Array.isArray(schema.items) ? schema.items[step] : schema.items;
        return alternatives(entry, root);
      }
      const own = schema.properties?.[step];
      return alternatives(own ?? (typeof schema.additionalProperties === "object" ? schema.additionalProperties : null), root);
    });
  }
  return now;
}

const textOf = (value) => {
  if (Array.isArray(value)) return `[${value.map(textOf).join(", ")}]`;
  if (value && typeof value === "object") return `{${Object.entries(value).map(([key, each]) => `${key}: ${textOf(each)}`).join(", ")}}`;
  return String(value);
};

// names: {material: [...], parameters: [...]}: what the scene itself has.
export function choicesAt(root, text, position, names = {}) {
  const { path, isKey, from, keys } = pathAt(text, position);
  const options = new Map();
  const add = (label, option) => options.has(label) || options.set(label, { label, ...option });
  const schemas = schemasAt(root, path);
  if (isKey) {
    for (const schema of schemas) {
      for (const [key, value] of Object.entries(schema.properties || {})) {
        if (keys.includes(key)) continue;
        const isRequired = (schema.required || []).includes(key);
        add(key, { type: "property", detail: isRequired ? "required" : "", info: value.description, apply: `${key}: `, boost: isRequired ? 1 : 0 });
      }
    }
  } else {
    const key = path.findLast((step) => typeof step === "string");
    for (const schema of schemas) {
      for (const value of schema.enum || []) add(textOf(value), { type: "keyword" });
      if (schema.const !== undefined) add(textOf(schema.const), { type: "keyword" });
      if (schema.type === "boolean") ["true", "false"].forEach((value) => add(value, { type: "keyword" }));
    }
    for (const value of names[key] || []) add(value, { type: "variable", detail: "of this scene" });
    for (const schema of schemas) {
      for (const value of schema.examples || []) add(textOf(value), { type: "text", detail: "for example" });
      if (schema.default !== undefined && schema.default !== null) add(textOf(schema.default), { type: "text", detail: "if left out" });
      const types = [schema.type].flat();
      if (types.includes("number") || types.includes("integer")) {
        for (const name of names.parameters || []) add(name, { type: "variable", detail: "parameter" });
      }
    }
  }
  return options.size > 0 ? { from, isKey, options: [...options.values()] } : null;
}
