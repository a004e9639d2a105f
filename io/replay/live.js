"use strict";
// Plays a run while it goes on: asks the scree that serves this page, again and again, for the frames that are new.

const kBetweenQuestions = 250; // ms
const kBetweenWhenOver = 1000; // ms; a run of another scree that is over may be resumed
const kSureFor = 3000; // ms, within which a second click confirms the first
const kMostFailures = 4; // of questions in a row: then nobody serves this page any more

let source = null;
let player = null;
let run = null; // what `open` told
let last = null; // what the last answer told beside frames
let failures = 0;

const wait = (time) => new Promise((done) => setTimeout(done, time));

// "1 h 02 min", "3 min 20 s", "12 s"
function durationText(seconds) {
  const whole = Math.round(seconds);
  const two = (value) => String(value).padStart(2, "0");
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

// The answer of LiveRun::news: the length of a JSON text, that text, and the numbers of its frames' arrays.
function answerOf(buffer) {
  const size = new DataView(buffer).getUint32(0, true);
  const said = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  let at = 4 + size;
  for (const frame of said.frames || []) {
    frame.cell = [];
    for (const [name, count] of Object.entries(frame.sizes)) {
      frame[name] = new Float32Array(buffer.slice(at, at + 4 * count));
      at += 4 * count;
    }
    frame.backward = said.is_back;
  }
  return said;
}

// What the bar says of the run. What run.json says of its time is up to a second old.
function stateText({ status, is_alive, is_over, is_paused, is_back, time: known, until, progress, wall_time }) {
  const time = is_back || !source ? known : Math.max(known, source.run.times.at(-1));
  if (!is_over) {
    const text = `t = ${short(time)} of ${short(until)} s`;
    if (is_paused) return `paused at ${text}`;
    if (!(progress > 0 && wall_time > 0)) return text;
    const pace = known > 0 ? `, computes ${short(Number((known / wall_time).toPrecision(2)))} × real time` : "";
    return `${text}${pace}, about ${durationText((wall_time * (1 - progress)) / progress)} left`;
  }
  if (status === "running" && !is_alive) return `was killed at t = ${short(time)} s; scree resume continues it`;
  if (status === "interrupted") return `interrupted at t = ${short(time)} s, saved; scree resume continues it`;
  return `${status} at t = ${short(time)} s`;
}

function showState() {
  const state = failures >= kMostFailures ? "lost" : last.is_over ? "over" : last.is_paused ? "paused" : "running";
  const isLast = last.ends && !last.is_over ? "; scree view has ended" : last.ends ? `; again: scree view ${run.directory}` : "";
  $("run").dataset.state = state;
  $("run-state").textContent = state === "lost" ? "scree does not answer any more: it was stopped" : stateText(last) + isLast;
  const canAct = run.can_control && state !== "over" && state !== "lost";
  $("hold").textContent = last.is_paused ? "go on" : "pause the run";
  for (const name of ["hold", "next", "end"]) $(name).hidden = !canAct;
}

async function order(what) {
  try {
    const response = await fetch(`run?do=${what}`, { method: "POST" });
    if (!response.ok) throw Error(await response.text());
    if (what === "pause" || what === "go_on") last.is_paused = what === "pause";
  } catch (error) {
    $("message").textContent = `The run was not reached: ${error.message}`;
  }
  showState();
}

// The bar above the grains: how far the run is, and what can be asked of it.
function makeBar() {
  const header = document.querySelector("header");
  const titles = document.createElement("div");
  titles.id = "titles";
  titles.append($("title"), $("subtitle"));
  const bar = document.createElement("div");
  bar.id = "run";
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "The run");
  const state = document.createElement("span");
  state.id = "run-state";
  state.setAttribute("aria-live", "off");
  const button = (id, text, title, act) => {
    const made = document.createElement("button");
    Object.assign(made, { id, textContent: text, title, hidden: true, onclick: act });
    return made;
  };
  bar.append(
    state,
    button("hold", "pause the run", "The run waits, for everybody who looks at it", () => order(last.is_paused ? "go_on" : "pause")),
    button("next", "one frame", "The run goes on to its next frame and waits there", () => order("step")),
    button("end", "stop the run", "It saves its state and ends, as by Ctrl-C", confirmEnd),
  );
  header.replaceChildren(titles, bar);
}

// A second click soon after the first one stops the run.
function confirmEnd() {
  const button = $("end");
  const forget = () => {
    delete button.dataset.asks;
    button.textContent = "stop the run";
  };
  if (button.dataset.asks) {
    forget();
    return order("stop");
  }
  button.dataset.asks = "yes";
  button.textContent = "really stop it?";
  setTimeout(forget, kSureFor);
}

// The first frame.
function beginSource(first) {
  source = engineSource(run, first, ({ kind }) => {
    if (kind === "step" && run.can_control && last.is_paused) order("step");
  });
  source.runsOn = true;
}

// Plays a run that is over from its beginning, as a replay; of one that goes on the newest frame is shown.
function beginPlayer() {
  const flags = new URLSearchParams(location.hash.slice(1));
  const isPlayed = !flags.has("wait");
  if (!run.is_over) flags.set("wait", "");
  player = makePlayer(source, flags);
  if (!run.is_over) {
    player.show(source.frames() - 1);
    if (isPlayed) player.play();
  }
  document.documentElement.dataset.ready = player.kind;
  if (flags.has("test")) window.scree = player;
}

// Takes an answer over. Whether there may be more at once.
function take(said) {
  const before = last;
  last = said;
  for (const frame of said.frames) {
    if (source) source.take(frame);
    else beginSource(frame);
  }
  if (!said.has_all || !source) {
    $("message").textContent = `Reading frames: ${source ? source.frames() : 0} of ${said.total} ...`;
    return !said.has_all;
  }
  if (said.run) Object.assign(source.run.run, said.run);
  source.rested({ isOver: said.is_over });
  $("message").textContent = "";
  if (!player) beginPlayer();
  else if (said.run || before.is_over !== said.is_over) source.changed();
  if (said.run) fillFacts(source.run);
  return false;
}

async function open() {
  for (;;) {
    const said = await (await fetch("open")).json();
    if (!said.wait) return said;
    $("message").textContent = `Nothing to see yet: ${said.wait}`;
    await wait(kBetweenQuestions);
  }
}

async function start() {
  makeBar();
  if (typeof AbortSignal.timeout === "undefined") {
    $("message").textContent = "Cannot show this run: this browser is too old; needed: one of 2023 or later";
    return;
  }
  run = await open();
  $("title").textContent = run.title || "A run of scree";
  document.title = `${run.title || "A run"}, live`;
  for (let given = 0; failures < kMostFailures; ) {
    let isMore = false;
    try {
      const response = await fetch(`news?viewer=${run.viewer}&from=${given}`, { signal: AbortSignal.timeout(20000) });
      if (!response.ok) throw Error(await response.text());
      const said = answerOf(await response.arrayBuffer());
      failures = 0;
      if (said.begin_again) return location.reload();
      if (!said.wait) {
        given += said.frames.length;
        isMore = take(said);
        showState();
        if (said.ends && said.has_all) return;
      }
    } catch (error) {
      if (!(error instanceof TypeError || error.name === "TimeoutError")) throw error;
      ++failures; // nobody is there
    }
    if (!isMore) await wait(last?.is_over && !run.can_control ? kBetweenWhenOver : kBetweenQuestions);
  }
  showState();
}
start().catch((error) => {
  $("message").textContent = `Cannot show this run: ${error.message}`;
});
