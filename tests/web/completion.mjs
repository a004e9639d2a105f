// What web/completion.js finds at places of texts that are being written: node completion.mjs COMPLETION.JS SCHEMA
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , script, schemaFile] = process.argv;
const { pathAt, choicesAt } = await import(pathToFileURL(script));
const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
let failed = 0;
const check = (what, found, expected) => {
  if (JSON.stringify(found) === JSON.stringify(expected)) return;
  ++failed;
  console.log(`${what}\n  found    ${JSON.stringify(found)}\n  expected ${JSON.stringify(expected)}`);
};

// The position is that of the bar.
const at = (marked) => [marked.replace("|", ""), marked.indexOf("|")];
for (const [marked, path, isKey, written] of [
  ["|", [], true, ""],
  ["scree: 1\nmo|", [], true, "mo"],
  ["mode: |", ["mode"], false, ""],
  ["mode: so|\nseed: 1", ["mode"], false, "so"],
  ["domain: {x: [0, 1], |", ["domain"], true, ""],
  ["domain: {x: [0, 1], pe|}", ["domain"], true, "pe"],
  ["domain: {x: [0, |1]}", ["domain", "x", 1], false, ""],
  ["domain:\n  x: [0, 1]\n  |", ["domain"], true, ""],
  ["materials:\n  stone: {density: 1, fr|", ["materials", "stone"], true, "fr"],
  ["materials:\n  stone:\n    density: 1\n    |\n  steel: {}", ["materials", "stone"], true, ""],
  ["walls:\n  - name: a\n    mat|", ["walls", 0], true, "mat"],
  ["walls:\n  - {name: a}\n  - {name: b, box: {|}}", ["walls", 1, "box"], true, ""],
  ["walls:\n- name: a\n- n|", ["walls", 1], true, "n"],
  ["particles:\n  - pour: {count: 1}\n    shape: {random_polygon: {|", ["particles", 0, "shape", "random_polygon"], true, ""],
  ["title: 'a: {b' # {\ntime: {e|", ["time"], true, "e"],
  ["particles:\n  - place:\n      - {position: [0, 0]}\n      - {|", ["particles", 0, "place", 1], true, ""],
  ["walls:\n  - name: a\ntime: {end: 1}\n|", [], true, ""],
]) {
  const [text, position] = at(marked);
  const found = pathAt(text, position);
  check(marked, [found.path, found.isKey, text.slice(found.from, position)], [path, isKey, written]);
}

const labels = (marked, names) => (choicesAt(schema, ...at(marked), names)?.options ?? []).map(({ label }) => label);
const includes = (marked, wanted, unwanted = [], names) => {
  const found = labels(marked, names);
  check(`${marked} has ${wanted}`, wanted.filter((each) => !found.includes(each)), []);
  check(`${marked} has not ${unwanted}`, unwanted.filter((each) => found.includes(each)), []);
};
includes("scree: 1\n|", ["domain", "materials", "mode"], ["scree", "friction"]);
includes("mode: |", ["soft", "hard"], ["domain"]);
includes("materials:\n  stone: {density: 1, |", ["friction", "stiffness"], ["density"]);
includes("walls:\n  - {name: floor, |", ["material", "box", "ring"], ["name"]);
includes("walls:\n  - {name: floor, material: |", ["stone"], [], { material: ["stone"] });
includes("particles:\n  - |", ["pour", "fill", "material", "size"]);
includes("particles:\n  - shape: |", ["disk"]);
includes("particles:\n  - shape: {|", ["random_polygon"]);
includes("particles:\n  - pour: {|", ["count", "rate", "region"]);
includes("time: {end: |", ["width"], [], { parameters: ["width"] });
console.log(`completion: ${failed ? `${failed} failed` : "all good"}`);
process.exit(failed ? 1 : 0);
