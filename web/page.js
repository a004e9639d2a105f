"use strict";
// The playground: scenes, their text, and the player that shows what the engine makes of them.

const examples = JSON.parse($("examples-data").textContent);
const build = JSON.parse($("build-data").textContent);
const worker = new Worker(URL.createObjectURL(new Blob([$("worker-text").textContent], { type: "text/javascript" })));
const flags = new URLSearchParams(location.hash.slice(1));

let player = null;
let source = null;
let opened = null; // what the Worker told of the scene that runs, with its text
let editor = null;
let fileName = "scene"; // without .yaml
let checks = 0; // that the Worker was asked for
let opens = 0; // likewise
let pending = null; // what the Worker was asked to open
let first = null; // what it told of that, until the first frame comes
let isWrong = false; // what stands in the editor
let parameters = []; // that have sliders
let known = []; // all, by name

const tell = (message) => worker.postMessage(message);
const say = (text) => ($("state").textContent = text);

// --- the scene's text

function showMistakes(mistakes) {
  isWrong = mistakes.length > 0;
  $("run").disabled = isWrong;
  editor.mark(mistakes);
  $("mistakes").replaceChildren(...mistakes.map(({ line, column, key, problem }) => {
    const item = document.createElement("li");
    const place = line > 0 ? `line ${line}, column ${column}: ` : "";
    const bold = document.createElement("b");
    bold.textContent = place + (key ? `${key}: ` : "");
    item.append(bold, problem);
    if (line > 0) {
      item.dataset.line = line;
      item.onclick = () => editor.goTo(line, column);
    }
    return item;
  }));
}

let checkDue = 0;
function changed() {
  clearTimeout(checkDue);
  checkDue = setTimeout(check, 200);
  $("proof").hidden = !opened || editor.text() !== opened.text;
}
function check() {
  clearTimeout(checkDue);
  checkDue = 0;
  tell({ kind: "check", text: editor.text(), number: ++checks });
}
function checked(said) {
  if (said.number !== checks) return;
  showMistakes(said.mistakes || (said.error ? [{ line: 0, problem: said.error }] : []));
  if (said.parameters) showSliders(said.parameters);
  if (!isWrong && (!opened || editor.text() !== opened.text)) say("changed: run it");
}

// A slider for each parameter that is written as a number: from a quarter of it to four times of it.
function showSliders(all) {
  const written = all.flatMap((parameter) => {
    const found = editor.numberAt(parameter.line, parameter.column);
    return found ? [{ ...parameter, ...found }] : [];
  });
  const names = (list) => list.map((each) => each.name).join();
  const values = () => [...$("sliders").querySelectorAll("input")].map((input) => Number(input.dataset.value));
  known = all.map((each) => each.name);
  if (names(written) === names(parameters)) {
    const isDragged = $("sliders").contains(document.activeElement);
    if (isDragged || values().every((value, k) => value === written[k].value)) return;
  }
  parameters = written;
  editor.follow(written);
  $("sliders").replaceChildren();
  for (const { name: of, value } of parameters) {
    const label = document.createElement("label");
    label.textContent = of;
    label.htmlFor = `slider-${of}`;
    const input = document.createElement("input");
    const output = document.createElement("output");
    const isWhole = Number.isInteger(value) && Math.abs(value) >= 3;
    Object.assign(input, { type: "range", id: `slider-${of}`, min: -60, max: 60, step: "any", value: 0 });
    input.dataset.value = value;
    const scaled = () => {
      const share = Number(input.value) / 60;
      const now = value === 0 ? share : value * 4 ** share;
      return isWhole ? Math.round(now) : Number(now.toPrecision(3));
    };
    output.textContent = short(value);
    input.oninput = () => {
      const now = Math.abs(input.value) < 1 ? value : scaled();
      output.textContent = short(now);
      input.dataset.value = now;
      const at = editor.placeOfNumber(of);
      if (at) editor.replace(at.from, at.to, String(now));
    };
    input.onchange = () => runNow();
    $("sliders").append(label, input, output);
  }
}

// --- running

// waits: it does not play until it is told to.
function runNow({ waits = false } = {}) {
  clearTimeout(checkDue);
  pending = { number: ++opens, text: editor.text(), waits };
  say("begins");
  tell({ kind: "open", number: pending.number, text: pending.text });
}

function refused(said) {
  if (!pending || said.number !== pending.number) return;
  showMistakes(said.mistakes || [{ line: 0, problem: said.error }]);
  say("this scene cannot begin");
  $("message").textContent = "";
  if (source) source.rested({ isOver: true }); // the engine has it no more
  document.documentElement.dataset.ready = "refused";
}
function begin(frame) {
  if (player) player.close();
  opened = { ...first.description, text: pending.text, start_hash: first.hash };
  first = null;
  showMistakes([]);
  showSliders(opened.parameters);
  $("title").textContent = opened.title || fileName;
  opened.run = { ...opened.run, scene_file: `${fileName}.yaml`, version: build.version, commit: build.commit, scene: opened.text };
  source = engineSource(opened, frame, tell);
  source.put = (id, x, y) => {
    $("message").textContent = "";
    tell({ kind: "put", text: opened.text, id, x, y });
  };
  $("message").textContent = "";
  const asked = [...flags].filter(([key]) => key === "wait" || key === "draw");
  player = makePlayer(source, new URLSearchParams(pending.waits ? [...asked, ["wait", ""]] : asked));
  $("back-in-time").hidden = !opened.can_turn_back;
  $("back-in-time").setAttribute("aria-pressed", "false");
  showProof({ time: 0, hash: opened.start_hash, backward: false, isOver: false });
  say("");
  document.documentElement.dataset.ready = player.kind;
}

function showForAWhile(text) {
  $("message").textContent = text;
  setTimeout(() => $("message").textContent === text && ($("message").textContent = ""), 8000);
}
const paceText = (pace) => (pace > 0 ? `computes ${short(Number(pace.toPrecision(2)))} × real time` : "");

// The command that gives the same state, and by what it can be seen.
function showProof({ time, hash, backward, isOver }) {
  const element = $("proof");
  delete element.dataset.runs;
  const line = document.createElement("code");
  const turnedBack = backward || opened.hasTurned;
  opened.rest = { time, hash, hasProof: time > 0 && (!turnedBack || (opened.is_exact && !backward)) };
  if (backward) {
    element.replaceChildren(`On the way back, at t = ${time} s. Turn again to compare hashes.`);
  } else if (opened.hasTurned && time === 0) {
    const isSame = hash === opened.start_hash;
    element.replaceChildren(isSame ? "Back at the start, bit for bit: hash " : "Back at t = 0, not at the start, which rounding has hidden: hash ", line);
    line.textContent = isSame ? hash : `${hash}, not ${opened.start_hash}`;
  } else if (time === 0) {
    element.replaceChildren("Play, and pause for the command that gives the same state, to the last bit.");
  } else if (!opened.rest.hasProof) {
    element.replaceChildren("Time has run backward, with rounding: no command gives the same state.");
  } else {
    line.textContent = runLine();
    element.replaceChildren(line, ` reaches this state, to the last bit: state_hash ${hash} in run.json${isOver ? ". The scene is over." : ""}`);
  }
  element.hidden = editor.text() !== opened.text;
}
const runLine = () => `scree run ${fileName}.yaml --until ${opened.rest.time}`;

worker.onmessage = ({ data }) => {
  switch (data.kind) {
    case "ready": return ready();
    case "checked": return checked(data);
    case "refused": return refused(data);
    case "opened": return void (pending && data.number === pending.number && (first = data));
    case "frame":
      if (first) return begin(data);
      if (!source) return;
      source.take(data);
      say(paceText(data.computes));
      if (!$("proof").dataset.runs) {
        $("proof").dataset.runs = "yes";
        $("proof").textContent = "Pause for the command that gives the same state, to the last bit.";
      }
      return;
    case "rest":
      if (!source || first) return;
      source.rested(data);
      showProof(data);
      playground.rest = data;
      return;
    case "turned":
      opened.hasTurned = true;
      source.turned(data);
      $("back-in-time").setAttribute("aria-pressed", data.backward);
      if (!data.backward) return;
      player.play();
      return;
    case "put":
      editor.set(data.text);
      return runNow({ waits: true });
    case "not put":
      player.drawAnew();
      showForAWhile(`It stays where it was: ${data.error || data.mistakes[0].problem}`);
      return;
    case "failed":
      $("message").textContent = data.error || "";
      return;
    case "broken":
      say(`The engine stopped: ${data.error}. Load the page again.`);
      return;
  }
};
worker.onerror = (event) => say(`The engine stopped: ${event.message || "no reason is known"}. Load the page again.`);

// --- examples, links, files

function load(text, of) {
  fileName = of;
  parameters = [];
  $("sliders").replaceChildren();
  editor.set(text);
  for (const button of $("examples").children) button.setAttribute("aria-current", button.dataset.name === of);
  runNow();
}
for (const example of examples) {
  const button = document.createElement("button");
  button.dataset.name = example.name;
  const picture = document.createElement("img");
  Object.assign(picture, { src: example.picture, alt: "", width: 102, height: 56 });
  button.append(picture, example.title);
  button.onclick = () => {
    history.replaceState(null, "", "#");
    load(example.text, example.name);
  };
  $("examples").append(button);
}

async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
async function unpackedText(base64) {
  const letters = atob(base64.replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}
async function loadAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const example = examples.find((each) => each.name === asked.get("example")) || examples[0];
  try {
    if (asked.has("scene")) return load(await unpackedText(asked.get("scene")), asked.get("name") || "scene");
  } catch {
    say("the address has no whole scene; it may have been cut off");
  }
  load(example.text, example.name);
}

$("share").onclick = async () => {
  const address = `#scene=${await packed(editor.text())}&name=${encodeURIComponent(fileName)}`;
  history.replaceState(null, "", address);
  const text = $("link").querySelector("textarea");
  text.value = location.href;
  $("link").showModal();
  text.select();
  try {
    await navigator.clipboard.writeText(location.href);
    $("link").querySelector("p").textContent = "This address has the scene in it. It is in the clipboard.";
  } catch {
    // the text is selected
  }
};

// The text with the command below it, if it is what ran.
function fileText() {
  const text = editor.text().replace(/\n*$/, "\n");
  if (!opened || opened.text !== editor.text() || !opened.rest.hasProof) return text;
  return `${text}\n# ${runLine()}\n# gives the state that the page had: state_hash ${opened.rest.hash} in run.json\n# (scree ${build.version}, ${build.commit}).\n`;
}
$("download").onclick = () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([fileText()], { type: "text/yaml" }));
  link.download = `${fileName}.yaml`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
$("run").onclick = () => runNow();
{
  const button = document.createElement("button");
  Object.assign(button, { id: "back-in-time", textContent: "⟲", hidden: true, title: "Time runs the other way from now on" });
  button.setAttribute("aria-label", "Reverse time");
  button.setAttribute("aria-pressed", "false");
  button.onclick = () => tell({ kind: "turn" });
  $("forth").after(button);
}
window.addEventListener("hashchange", loadAddress);
document.addEventListener("visibilitychange", () => document.hidden && player && player.pause());

function ready() {
  document.documentElement.dataset.engine = "ready";
  loadAddress();
}

// For tests.
const playground = {
  rest: null,
  get player() { return player; },
  get source() { return source; },
  get editor() { return editor; },
  load,
  fileText,
  until(time) {
    player.pause();
    playground.rest = null;
    tell({ kind: "until", time });
  },
};
window.playground = playground;

function start() {
  editor = makeEditor($("editor"), { schema: JSON.parse($("schema-data").textContent), changed, run: () => runNow(), names: () => ({ material: opened?.materials, parameters: known }) });
  say("reads the engine");
  const lacks = ["DecompressionStream", "WebAssembly", "Worker"].filter((each) => !(each in window));
  if (lacks.length > 0) return say("this browser is too old; needed: one of 2023 or later");
  tell({ kind: "engine", packed: $("engine-data").textContent });
  $("engine-data").remove();
}
start();
