"use strict";
// What grains can be coloured by, and the legends.

// Equal steps along a map look equal; the strongest values stand out from the paper.
const kMaps = {
  light: {
    flow: ["f4e3cb", "c4d0b5", "95bca9", "67aaa8", "3396a6", "007fa2", "006899", "004b82", "002f67"],
    force: ["e8b794", "e49f77", "dd865b", "d36a46", "c44b38", "a5312d", "852126"],
    signed: ["0b5394", "5f9bc9", "e9e4da", "d98b5f", "a5312d"],
  },
  dark: {
    flow: ["4a5a6d", "3c6781", "2f7b94", "4598a3", "74b3a7", "a9cbb0", "dbdcbd", "fff1d4"],
    force: ["6d3a33", "93463b", "bb5642", "da6f4d", "ef9162", "f9b887", "ffe1b8"],
    signed: ["6db6f2", "3f6f96", "434a54", "a4663f", "ff9d5c"],
  },
};
// Okabe and Ito's, softened; told apart by people who see fewer colours, too.
const kKinds = ["e0b15a", "5aa9d6", "3fa384", "d98cb3", "cf6a32", "8c8fd0", "b7b33e", "9a9a9a"];
const kPlain = { light: "e6d3b8", dark: "5b6b7c" };

const rgbOf = (hex) => [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16));
const cssOf = (rgb) => `rgb(${rgb.join(",")})`;

// 256 colours along a map, as bytes.
function tableOf(map) {
  const stops = map.map(rgbOf);
  const table = new Uint8Array(3 * 256);
  for (let k = 0; k < 256; ++k) {
    const at = (k / 255) * (stops.length - 1);
    const from = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; ++c) {
      table[3 * k + c] = Math.round(stops[from][c] + (at - from) * (stops[from + 1][c] - stops[from][c]));
    }
  }
  return table;
}

// Round numbers from 1, 2 and 5, counted: 0 is 1, 1 is 2, 2 is 5, 3 is 10.
const roundNumber = (k) => Number(`${[1, 2, 5][((k % 3) + 3) % 3]}e${Math.floor(k / 3)}`);

// The count of the least one from a value on.
function roundFrom(value) {
  let k = 3 * Math.floor(Math.log10(value));
  while (roundNumber(k) < value * (1 - 1e-9)) ++k;
  return k;
}

// The next round number, and the marks of a scale that ends there.
function roundUp(value) {
  if (!(value > 0)) return [1, [0, 0.5, 1]];
  const steps = [[1, 5], [1.5, 3], [2, 4], [3, 3], [4, 4], [5, 5], [6, 3], [8, 4], [10, 5]];
  const power = Math.floor(Math.log10(value));
  const [digit, count] = steps.find((step) => step[0] * 10 ** power >= value * (1 - 1e-9));
  const marks = Array.from({ length: count + 1 }, (_, k) => Number((((digit * k) / count) * 10 ** power).toPrecision(6)));
  return [marks[count], marks];
}

const kUnits = { speed: "m/s", angular_velocity: "rad/s", force: "N", torque: "N m", coordination: "" };
const kNames = { angular_velocity: "angular velocity", coordination: "contacts", force: "total force" };

// A way to colour grains: label, legend, and share(grain, place), from 0 to 1, or colour(grain), bytes.
function waysToColour(run) {
  const ways = [];
  for (const array of run.arrays) {
    const [end, marks] = array.counts ? [6, [0, 2, 4, 6]] : roundUp(run.percentile(array, 0.99));
    const isSigned = array.name === "angular_velocity" || array.name === "torque";
    const label = (kNames[array.name] || array.name) + (kUnits[array.name] ? ` [${kUnits[array.name]}]` : "");
    const share = isSigned
      ? (_, place) => 0.5 + (0.5 * run.valueAt(array, place)) / end
      : (_, place) => run.valueAt(array, place) / end;
    ways.push({
      key: array.name, label, share, map: isSigned ? "signed" : "flow",
      marks: isSigned ? [-end, 0, end] : marks, from: isSigned ? -end : 0, to: end,
    });
  }
  let smallest = Infinity;
  let largest = 0;
  for (const size of run.grain_size) {
    smallest = Math.min(smallest, size);
    largest = Math.max(largest, size);
  }
  if (largest > smallest * 1.001) {
    const across = largest - smallest;
    ways.push({
      key: "size", label: "radius [m]", map: "flow", share: (grain) => (run.grain_size[grain] - smallest) / across,
      marks: [smallest, 0.5 * (smallest + largest), largest], from: smallest, to: largest,
    });
  }
  if (run.coloured) {
    const colour = (grain) => [16, 8, 0].map((shift) => (run.grain_colour[grain] >> shift) & 255);
    ways.unshift({ key: "scene", label: "as in the scene", colour, kinds: [] });
  }
  const groups = (values, names) =>
    [...new Set(values)].sort((a, b) => a - b).map((k) => ({ k, name: names(k), rgb: rgbOf(kKinds[k % kKinds.length]) }));
  const kinds = (key, label, values, names) => {
    const all = groups(values, names);
    if (all.length < 2) return;
    const colours = new Map(all.map((kind) => [kind.k, kind.rgb]));
    ways.push({ key, label, kinds: all, colour: (grain) => colours.get(values[grain]) });
  };
  kinds("material", "material", run.grain_material, (k) => run.materials[k] || `material ${k + 1}`);
  kinds("group", "group of the scene", run.grain_type, (k) => run.groups[k] || `group ${k + 1}`);
  ways.push({ key: "none", label: "none", kinds: [], colour: (_, theme) => rgbOf(kPlain[theme]) });
  return ways;
}

// Fills four bytes a grain.
function coloursAt(run, way, frame, theme, colours) {
  const table = way.share ? tableOf(kMaps[theme][way.map]) : null;
  for (let grain = 0; grain < run.count; ++grain) {
    const place = run.placeOf(grain, frame);
    if (place < 0) continue;
    const at = 4 * grain;
    if (table) {
      const k = 3 * Math.round(255 * Math.min(1, Math.max(0, way.share(grain, place))));
      colours[at] = table[k];
      colours[at + 1] = table[k + 1];
      colours[at + 2] = table[k + 2];
    } else {
      const rgb = way.colour(grain, theme);
      for (let c = 0; c < 3; ++c) colours[at + c] = rgb[c];
    }
    colours[at + 3] = 255;
  }
}

// A number for people, in three digits; whole ones as they are.
function short(value) {
  const size = Math.abs(value);
  const text = Number.isInteger(value) && size < 1e6 ? String(value)
    : size >= 1e5 || size < 1e-3 ? Number(value.toPrecision(2)).toExponential() : String(Number(value.toPrecision(3)));
  return text.replace(/-/g, "−").replace("e+", "e");
}

function fillLegend(element, way, theme) {
  element.replaceChildren();
  const add = (parent, tag, text, style) => {
    const child = document.createElement(tag);
    if (text) child.textContent = text;
    Object.assign(child.style, style || {});
    return parent.appendChild(child);
  };
  if (way.key === "none") return;
  add(element, "b", way.label);
  if (way.share) {
    const bar = add(element, "div", "", { background: `linear-gradient(to right, ${kMaps[theme][way.map].map((c) => "#" + c).join(",")})` });
    bar.className = "bar";
    const marks = add(element, "div", "");
    marks.className = "marks";
    for (const mark of way.marks) {
      add(marks, "span", short(mark), { left: `${(100 * (mark - way.from)) / (way.to - way.from)}%` });
    }
    return;
  }
  for (const kind of way.kinds) {
    const line = add(element, "div", "");
    line.className = "kind";
    add(line, "i", "", { background: cssOf(kind.rgb) });
    add(line, "span", kind.name);
  }
}
