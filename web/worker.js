"use strict";
// Has the engine, and nothing else to do than to advance it. It is one script with what emscripten writes (makeScree).
//
// The page says                          and is told
//   {kind: "engine", packed}             {kind: "ready"}              packed: gzipped WebAssembly in base64
//   {kind: "check", text, number}        {kind: "checked", number, parameters or mistakes or error}
//   {kind: "open", text, number}         {kind: "opened", number, description, frame} or {kind: "refused", ...}
//   {kind: "play", rate}                 {kind: "frame", ...} again and again; rate: simulated seconds a second at most
//   {kind: "pause"}, {kind: "step"}      {kind: "frame", ...}, {kind: "rest", time, hash, backward, isOver}
//   {kind: "until", time}                the same
//   {kind: "turn"}                       {kind: "turned", backward} or {kind: "failed", error}
//   {kind: "put", text, id, x, y}        {kind: "put", text} or {kind: "not put", mistakes or error}: a grain elsewhere [m]

const kSlice = 12; // ms of computing between looks at what the page says
const kLongest = 500000; // letters of a scene: more do not fit on the engine's stack
const kStale = 40; // ms after which a frame is shown that is not due yet
const kArrays = ["poses", "speed", "angular_velocity", "force", "coordination", "chains", "walls", "wall_starts", "births",
  "birth_corners", "cell"];

let engine = null;
let isOpen = false;
let isOver = false;
let isRunning = false; // else it stops at the next target
let target = null; // time that it advances to [s]; null: it rests
let end = 0;
let rate = 1;
let last = { wall: 0, time: 0 }; // when a frame was shown last
let pace = { wall: 0, time: 0 }; // where it is clocked from
let work = { wall: 0, time: 0 }; // computing of the last second: ms, and seconds simulated

const call = (name, type, ...values) =>
  engine.ccall("scree_" + name, type, values.map((value) => (typeof value === "string" ? "string" : "number")), values);
const answer = () => JSON.parse(call("answer", "string"));
const time = () => call("time", "number");
const isBackward = () => call("runs_backward", "boolean");

// Numbers 1, 2, 5, 10 ... of which one is the time between two frames at 30 frames a second.
function spacing() {
  const most = rate / 30;
  const power = 10 ** Math.floor(Math.log10(most));
  const digit = [5, 2, 1].find((each) => each * power <= most * (1 + 1e-9)) || 1;
  return digit * power;
}

// The next multiple of the spacing.
function nextTarget() {
  const step = spacing();
  const count = time() / step;
  const next = isBackward() ? Math.ceil(count - 1e-6) - 1 : Math.floor(count + 1e-6) + 1;
  return Math.min(end, Math.max(0, Number((next * step).toPrecision(12))));
}

function show(kind = "frame") {
  if (!call("look", "boolean")) return post("failed", answer());
  const frame = { ...answer(), backward: isBackward() };
  const buffers = [];
  kArrays.forEach((name, k) => {
    const from = call("array", "number", k) / 4;
    frame[name] = engine.HEAPF32.slice(from, from + call("array_size", "number", k));
    buffers.push(frame[name].buffer);
  });
  frame.computes = work.wall > 0 ? (1000 * work.time) / work.wall : 0;
  last = { wall: performance.now(), time: frame.time };
  postMessage({ kind, ...frame }, buffers);
}

const post = (kind, more = {}) => postMessage({ kind, ...more });

// Where it was told to stop, or did by itself: a step ends a little later.
function rest(at = time()) {
  target = null;
  isRunning = false;
  post("rest", { time: at, hash: call("hash", "string"), backward: isBackward(), isOver });
}

// MessageChannel: a timer waits for 4 ms at least.
const channel = new MessageChannel();
let isDue = false;
const goOn = () => {
  if (!isDue) channel.port2.postMessage(0);
  isDue = true;
};
channel.port1.onmessage = () => {
  isDue = false;
  if (target !== null) advance();
};

function advance() {
  const now = performance.now();
  const direction = isBackward() ? -1 : 1;
  const clocked = pace.time + (direction * rate * (now - pace.wall)) / 1000;
  const early = (1000 * direction * (target - clocked)) / rate; // ms
  if (isRunning && early > 1) {
    setTimeout(goOn, Math.min(early, 100));
    return;
  }
  const before = time();
  const result = call("advance", "number", target, kSlice);
  const after = performance.now();
  work.wall += after - now;
  work.time += Math.abs(time() - before);
  if (work.wall > 1000) work = { wall: work.wall / 2, time: work.time / 2 };
  if (result === 0) {
    const { error, mistakes } = answer();
    isOver = true;
    show();
    post("failed", { error, mistakes });
    return rest();
  }
  if (result >= 2) {
    isOver = result === 3 || (direction > 0 && target >= end);
    show();
    if (isOver || !isRunning) return rest(direction < 0 || result === 3 ? time() : target);
    target = nextTarget();
  } else if (after - last.wall > kStale) {
    show();
  }
  // Who is late does not catch up.
  if (early < -100) pace = { wall: after, time: time() };
  goOn();
}

function start(to) {
  if (isOver) return;
  pace = { wall: performance.now(), time: time() };
  target = to;
  goOn();
}

const tooLong = (text) =>
  text.length <= kLongest ? null
    : { error: `the scene has ${text.length} letters, a page takes ${kLongest} at most: run it by the program` };

function open({ text, number }) {
  target = null;
  isRunning = isOpen = isOver = false;
  work = { wall: 0, time: 0 };
  if (tooLong(text)) return post("refused", { number, ...tooLong(text) });
  if (!call("open", "boolean", text)) return post("refused", { number, ...answer() });
  isOpen = true;
  const description = answer();
  end = description.end;
  post("opened", { number, description, hash: call("hash", "string") });
  show();
}

const does = {
  async engine({ packed }) {
    const text = atob(packed);
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    engine = await makeScree({ wasmBinary: new Uint8Array(await new Response(stream).arrayBuffer()) });
    post("ready");
  },
  check({ text, number }) {
    if (!tooLong(text)) call("check", "boolean", text);
    post("checked", { number, ...(tooLong(text) || answer()) });
  },
  open,
  play(said) {
    const isNew = said.rate !== rate;
    rate = said.rate;
    if (isRunning && !isNew) return;
    isRunning = true;
    start(nextTarget());
  },
  pause() {
    isRunning = false; // at the target it rests
  },
  step() {
    isRunning = false;
    if (target === null) start(nextTarget());
  },
  until(said) {
    isRunning = false;
    start(said.time);
  },
  turn() {
    if (!call("turn_back", "boolean")) return post("failed", answer());
    isOver = false;
    const wasBusy = target !== null;
    post("turned", { backward: isBackward(), time: time() });
    if (wasBusy) start(nextTarget());
    else rest();
  },
  put({ text, id, x, y }) {
    if (target !== null) return post("not put", { error: "the engine still computes" });
    if (!call("put", "boolean", text, id, x, y)) return post("not put", answer());
    const said = answer();
    post(tooLong(said.text) ? "not put" : "put", { ...said, ...tooLong(said.text) });
  },
};
onmessage = async ({ data }) => {
  if (!isOpen && !["engine", "check", "open"].includes(data.kind)) return;
  try {
    await does[data.kind](data);
  } catch (error) {
    post("broken", { error: String(error.message || error) });
  }
};
