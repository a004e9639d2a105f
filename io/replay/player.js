"use strict";
// The page: plays, moves, picks, and keeps what is shown in step.
//
// A source is where a player has its run from: a file (fileSource), or an engine that computes it (engine_source.js). It
// has `run`, in the form that readRun returns, with functions for whatever has a place in a frame, and
//   frames()              so far; `run.times` has the time of each
//   births()              grains so far: when there are more the player takes over their outlines
//   poses(frame, numbers), walls(frame), tables()
//   clock(frame, text)    what stands above the grains, if that is not "t = " and the time
//   address(time)         what the page's address ends with, if it follows the time
//   changed()             which the player sets: to be called when there are more frames. What a source has once given does
//                         not change, but it may have forgotten frames that it had.
// and, if the run goes on while it is shown,
//   span                  seconds that it will have
//   scales()              a number that changes when the scales of colours do
//   engine                {play(rate), pause(), step(), isOver()}: frames are made while the player plays at the end
//   runsOn                frames are made whether it plays or not
//   put(id, x, y)         the picked grain was dragged there [m], in the newest frame while that rests; the player shows it
//                         there until it is closed or drawAnew is called

const $ = (id) => document.getElementById(id);
const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

function tableOfRows(rows) {
  const table = document.createElement("table");
  for (const [name, value] of rows) {
    const row = table.insertRow();
    row.insertCell().textContent = name;
    row.insertCell().textContent = value;
  }
  return table;
}

function modeOf(run) {
  if (run.panels.length > 1) return run.panels.map((panel) => panel.name).join(" beside ");
  return run.mode === "soft" ? "soft grains" : "hard grains";
}

// What run.json says, for people.
function fillFacts(run) {
  const info = run.run || {};
  const rows = [
    ["scene", info.scene_file], ["mode", modeOf(run)],
    ["status", info.status], ["scree", `${info.version} (${info.commit})`], ["seed", info.seed],
    ["step", info.step ? `${short(info.step)} s: ${info.step_reason}` : ""], ["steps", info.steps],
    ["simulated", info.end_time ? `${short(info.end_time)} s` : ""],
    ["hash of the state", info.state_hash], ["hash of the scene", info.scene_hash], ["hash of these poses", run.hash],
    ...(info.warnings || []).map((text) => ["warning", text]),
  ];
  $("facts").replaceChildren(tableOfRows(rows.filter(([, value]) => value !== undefined && value !== "")));
  if (!info.scene) return;
  const scene = document.createElement("pre");
  scene.textContent = info.scene;
  $("facts").append(scene);
}

function newCanvas(old) {
  const canvas = old.cloneNode();
  old.replaceWith(canvas);
  return canvas;
}

// Seconds of the run in a second, of which a span [s] takes 20 s at most: as it is, if that can be watched; else a round
// number. `natural` is the one to begin with, `rates` those that a menu has.
function playbackRates(span) {
  const k = !(span > 0) || (span >= 1 && span <= 20) ? 0 : roundFrom(span / (span < 1 ? 10 : 20));
  const rates = new Set([-3, -2, -1, 0, 1, 2, 3].map((by) => roundNumber(k + by)).concat(1));
  return { natural: roundNumber(k), rates: [...rates].sort((a, b) => a - b) };
}

function makePlayer(source, flags) {
  const { run } = source;
  const { times } = run;
  const { engine } = source;
  const closed = new AbortController();
  const { signal } = closed;
  let frames = source.frames();
  const start = run.grain_first.length > 0 ? run.grain_first.reduce((a, b) => Math.min(a, b)) : 0; // the first frame with grains
  const span = source.span ?? times[frames - 1] - times[0];
  const [left, right, low, high] = run.view;
  const meanRadius = () => (run.count ? run.grain_size.reduce((sum, size) => sum + size, 0) / run.count : 1);
  let radius = meanRadius();
  let canvas = $("grains");
  let renderer = null;
  try {
    renderer = flags.get("draw") === "2d" ? null : makeGl(canvas, run);
  } catch {
    canvas = newCanvas(canvas);
  }
  const makeRoom = () => {
    shown = -1;
    if (poses.length === renderer.room) return;
    poses = new Float32Array(renderer.room);
    colours = new Uint8Array(renderer.room);
  };
  const useCanvas = () => {
    canvas = newCanvas(canvas);
    renderer = make2d(canvas, run);
    makeRoom();
    resize();
  };
  if (!renderer) renderer = make2d((canvas = newCanvas(canvas)), run);
  else {
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      useCanvas();
    }, { signal });
  }
  let poses = new Float32Array(renderer.room);
  let colours = new Uint8Array(renderer.room);
  let walls = [];
  let ways = waysToColour(run);
  const view = { x: 0, y: 0, metres: 1, ratio: 1, radius, line: 1, edge: 0.6 };
  let way = ways.find((each) => each.key === run.colour) || ways[0];
  let frame = start;
  let time = times[start];
  let shown = -1;
  let picked = -1;
  let playing = false;
  let isFitted = true;
  let due = 0;
  let theme = "light";
  let look = {};
  let pickedChart = null;
  let shownLegend = null;
  let isLive = false; // it plays what the engine computes, at the engine's pace
  let follows = true; // the newest frame is shown: so are those that come

  const { natural, rates } = playbackRates(engine ? span : times[frames - 1] - times[start]);
  let rate = natural;
  const decimals = clamp(Math.ceil(-Math.log10(span / Math.max(1, engine ? 100 : frames - 1) || 1)) + 1, 0, 9);
  const timeText = (t) => `${t.toFixed(decimals)} s`;

  const frameAt = (t) => clamp(rowAt(times, t), 0, frames - 1);
  const nearestFrame = (t) => {
    const at = frameAt(t);
    return at + 1 < frames && times[at + 1] - t < t - times[at] ? at + 1 : at;
  };

  function draw() {
    due = 0;
    if (shown !== frame) {
      source.poses(frame, poses);
      coloursAt(run, way, frame, theme, colours);
      renderer.setFrame(poses, colours);
      walls = source.walls(frame);
      shown = frame;
      follow();
    }
    const grainPixels = radius / view.metres / view.ratio;
    view.edge = (theme === "dark" ? 0.45 : 0.5) + 0.5 * (1 - clamp(grainPixels / 6, 0.3, 1));
    view.line = view.ratio * clamp(0.09 * grainPixels, 0.3, 1.6);
    renderer.draw(view);
    fillScales($("scales"), run, view, $("chains").checked, look);
    drawOver($("over"), run, view, { number: frame, poses, walls, chains: $("chains").checked, picked }, look);
  }
  const drawSoon = () => (due = due || requestAnimationFrame(draw));

  // Everything that shows the time.
  let moveCharts = () => {};
  let chartsEnd = Infinity; // of a run that goes on they may end earlier
  function follow() {
    const text = timeText(times[frame]);
    $("scrub").value = frame;
    $("scrub").setAttribute("aria-valuetext", `${text}, frame ${frame + 1} of ${frames}`);
    $("time").textContent = text;
    $("clock").textContent = source.clock ? source.clock(frame, timeText) : `t = ${text}`;
    moveCharts(Math.min(times[frame], chartsEnd));
    if (picked >= 0) fillPicked();
  }

  function drawAnew() {
    shown = -1;
    drawSoon();
  }
  function show(number) {
    frame = clamp(number, 0, frames - 1);
    if (!playing) time = times[frame];
    follows = frame === frames - 1;
    drawSoon();
  }
  const seek = (t) => {
    pause();
    show(nearestFrame(t));
    setLink();
  };

  function setLink() {
    if (!source.address) return;
    try {
      history.replaceState(null, "", source.address(times[frame]));
    } catch {
      // a page that may not change its address does without
    }
  }

  let last = 0;
  function tick(now) {
    if (!playing) return;
    time += Math.min(0.25, (now - last) / 1000) * rate;
    last = now;
    if (isLive || time >= times[frames - 1]) {
      time = times[frames - 1];
      if (frame !== frames - 1) show(frames - 1);
      if (!engine || engine.isOver()) return stop();
      isLive = true;
      engine.play(rate);
      requestAnimationFrame(tick);
      return;
    }
    const next = frameAt(time);
    if (next !== frame) show(next);
    requestAnimationFrame(tick);
  }
  function play() {
    if (frame === frames - 1 && (!engine || engine.isOver())) frame = start;
    time = times[frame];
    playing = true;
    setPlayButton();
    requestAnimationFrame((now) => {
      last = now;
      show(frame);
      tick(now);
    });
  }
  function stop() {
    playing = isLive = false;
    if (engine) engine.pause();
    setPlayButton();
  }
  function pause() {
    if (!playing) return;
    stop();
    if (source.runsOn) follows = false;
    setLink();
  }
  function setPlayButton() {
    $("play").textContent = playing ? "❙❙" : "▶";
    $("play").setAttribute("aria-label", playing ? "Pause" : "Play");
  }
  const step = (by) => {
    pause();
    if (engine && by > 0 && frame === frames - 1 && !engine.isOver()) {
      engine.step(); // and shows what it makes
    }
    show(frame + by);
    setLink();
  };

  function fit() {
    isFitted = true;
    const { width, height } = $("over");
    const [w, h] = [Math.max(right - left, 1e-12), Math.max(high - low, 1e-12)];
    const margin = 22 * view.ratio;
    const above = 34 * view.ratio; // the time
    // Legends lie above, on the right and on the left: they need room only if the grains reach them.
    view.metres = Math.max(w / Math.max(40, width - 2 * margin), h / Math.max(40, height - margin - above));
    fillScales($("scales"), run, view, $("chains").checked, look);
    const [right_box, left_box] = ["legend", "scales"].map((name) => $(name).getBoundingClientRect());
    const legend = { width: Math.max(right_box.width, left_box.width), height: Math.max(right_box.height, left_box.height + 22) };
    const free = width - view.ratio * (legend.width + 14) * 2;
    const top = 0.5 * (height - h / view.metres);
    if (w / view.metres > free && top < view.ratio * (legend.height + 20)) {
      const room = view.ratio * (legend.height + 18);
      view.metres = Math.max(view.metres, h / Math.max(40, height - margin - room));
      view.y = 0.5 * (low + high) - run.domain.lo[1] + 0.5 * (room - margin) * view.metres;
    } else {
      view.y = 0.5 * (low + high) - run.domain.lo[1] + 0.5 * (above - margin) * view.metres;
    }
    view.x = 0.5 * (left + right) - run.domain.lo[0];
    drawSoon();
  }
  // About a point of the canvas.
  function zoom(factor, x = 0.5 * $("over").width, y = 0.5 * $("over").height) {
    isFitted = false;
    const [dx, dy] = [x - 0.5 * $("over").width, 0.5 * $("over").height - y];
    const metres = clamp(view.metres / factor, radius / 4000, (2 * Math.max(right - left, high - low)) / 100);
    view.x += dx * (view.metres - metres);
    view.y += dy * (view.metres - metres);
    view.metres = metres;
    drawSoon();
  }
  function resize() {
    const box = $("stage").getBoundingClientRect();
    view.ratio = window.devicePixelRatio || 1;
    for (const each of [canvas, $("over")]) {
      each.width = Math.max(1, Math.round(box.width * view.ratio));
      each.height = Math.max(1, Math.round(box.height * view.ratio));
    }
    if (isFitted) fit();
    drawSoon();
  }

  // The grain at a point of the canvas; -1: none.
  function grainAt(x, y) {
    const at = [view.x + (x - 0.5 * $("over").width) * view.metres, view.y + (0.5 * $("over").height - y) * view.metres];
    let best = Infinity;
    let found = -1;
    for (let grain = 0; grain < run.count; ++grain) {
      if (!(poses[4 * grain + 3] > 0)) continue;
      const away = Math.hypot(poses[4 * grain] - at[0], poses[4 * grain + 1] - at[1]);
      const reach = run.grain_size[grain] * poses[4 * grain + 3] + 4 * view.ratio * view.metres;
      if (away < reach && away / reach < best) {
        best = away / reach;
        found = grain;
      }
    }
    return found;
  }
  function pick(x, y) {
    picked = grainAt(x, y);
    pickedChart = null;
    fillPicked();
    drawSoon();
  }
  function fillPicked() {
    const section = $("picked");
    if (picked < 0) {
      section.innerHTML = '<p class="hint">Click a grain to see its values, its path and its history.</p>';
      return;
    }
    const place = run.placeOf(picked, frame);
    const present = place >= 0;
    const rows = [["material", run.materials[run.grain_material[picked]] || "–"], ["radius", `${short(run.grain_size[picked])} m`],
      ["mass", `${short(run.grain_mass[picked])} kg`], ["corners", run.grain_corners[picked] || "a disk"]];
    if (present) {
      const [x, y] = run.positionAt(place);
      rows.push(["position", `${short(x + run.domain.lo[0])}, ${short(y + run.domain.lo[1])} m`]);
      rows.push(["angle", `${short(poses[4 * picked + 2])} rad`]);
      for (const array of run.arrays) {
        rows.push([kNames[array.name] || array.name, `${short(run.valueAt(array, place))} ${kUnits[array.name]}`]);
      }
    } else {
      rows.push(["", "is not there at this time"]);
    }
    const heading = document.createElement("h2");
    const [panel, id] = [Math.floor(run.grain_id[picked] / 1e9), run.grain_id[picked] % 1e9];
    heading.textContent = `Grain ${id} ${run.panels[panel].name}`.trim();
    const old = section.querySelector("figure");
    section.replaceChildren(heading, tableOfRows(rows));
    if (source.put && present) {
      const hint = document.createElement("p");
      hint.className = "hint";
      hint.textContent = "While it is paused, drag the grain to put it elsewhere.";
      section.append(hint);
    }
    if (pickedChart && old) section.append(old);
    else if (run.arrays.length > 0) pickedChart = addHistory(section);
    if (pickedChart) pickedChart(times[frame]);
  }
  function addHistory(section) {
    const array = run.arrays.find((each) => each.name === way.key) || run.arrays[0];
    const [first, count] = run.framesOf(picked);
    const places = Array.from({ length: count }, (_, k) => run.placeOf(picked, first + k)).filter((place) => place >= 0);
    const values = places.map((place) => run.valueAt(array, place));
    const own = times.slice(first, first + values.length);
    const title = `${kNames[array.name] || array.name} of the grain${kUnits[array.name] ? ` [${kUnits[array.name]}]` : ""}`;
    return addChart(section, title, [{ name: "", times: own, values }], [times[0], times[frames - 1]], seek);
  }

  function setTheme(name) {
    theme = name;
    document.documentElement.dataset.theme = name;
    const style = getComputedStyle(document.documentElement);
    look = {
      wall: style.getPropertyValue("--wall"), ink: style.getPropertyValue("--ink"), pick: style.getPropertyValue("--pick"),
      force: kMaps[theme].force.map((hex) => cssOf(rgbOf(hex))),
    };
    setWay(way);
  }
  function setWay(next) {
    way = next;
    drawAnew();
    const legend = JSON.stringify([way.key, way.marks, way.kinds, theme]);
    if (legend === shownLegend) return;
    shownLegend = legend;
    $("colour").value = way.key;
    fillLegend($("legend"), way, theme);
    pickedChart = null;
    if (isFitted) fit();
  }

  // What is there to choose.
  const fillColours = () => {
    const keys = ways.map((each) => each.key).join();
    if ($("colour").dataset.keys === keys) return;
    $("colour").dataset.keys = keys;
    $("colour").replaceChildren(...ways.map((each) => new Option(each.label, each.key)));
    $("colour").value = way.key;
  };
  const takeWays = () => {
    ways = waysToColour(run);
    fillColours();
    setWay(ways.find((each) => each.key === way.key) || ways[0]);
  };
  delete $("colour").dataset.keys;
  fillColours();
  $("rate").replaceChildren(...rates.map((each) => new Option(`${short(each)} × real time`, each)));
  $("rate").value = rate;
  $("chains-label").hidden = !run.chain;
  $("chains").checked = Boolean(run.chain);
  fillFacts(run);
  // What depends on how far the run is. Charts of a run that goes on are drawn anew twice a second.
  let chartsDue = 0;
  function fillCharts() {
    chartsDue = 0;
    const tables = source.tables();
    moveCharts = addCharts($("charts"), tables, [times[0], times[frames - 1]], seek);
    if (engine) chartsEnd = times[frames - 1];
    moveCharts(times[frame]);
    mostGrains = ((tables["series.csv"] || {}).particles || []).reduce((a, b) => Math.max(a, b), 0);
  }
  let mostGrains = 0;
  function fillProgress() {
    $("scrub").max = frames - 1;
    if (!engine) fillCharts();
    else chartsDue = chartsDue || setTimeout(fillCharts, 500);
    const { status, until } = run.run || {};
    const more = status && status !== "finished" ? ` of ${short(until)} s, ${status.split(":")[0]}` : "";
    $("subtitle").textContent = `${modeOf(run)} · ${mostGrains || run.count} grains · ${frames} ${frames === 1 ? "frame" : "frames"} to ${timeText(times[frames - 1])}${more}`;
  }
  fillProgress();
  let births = source.births();
  let scales = engine ? source.scales() : 0;
  source.changed = () => {
    const had = frames;
    frames = source.frames();
    if (frames <= had) {
      frame = nearestFrame(time); // some were forgotten
      drawAnew();
    }
    if (engine && follows && !playing) show(frames - 1);
    fillProgress();
    const hasBirths = source.births() !== births;
    if (hasBirths) {
      births = source.births();
      renderer.grow();
      makeRoom();
      view.radius = radius = meanRadius();
    }
    if (hasBirths || (engine && source.scales() !== scales)) {
      if (engine) scales = source.scales();
      takeWays();
    }
    if (engine) return; // whatever is shown stays as it is
    pickedChart = null;
    drawAnew();
  };

  $("play").onclick = () => (playing ? pause() : play());
  $("back").onclick = () => step(-1);
  $("forth").onclick = () => step(1);
  $("scrub").oninput = () => {
    pause();
    show(Number($("scrub").value));
    setLink();
  };
  const setRate = (value) => {
    rate = value;
    $("rate").value = value;
    if (isLive) engine.play(rate);
  };
  $("rate").onchange = () => setRate(Number($("rate").value));
  $("colour").onchange = () => setWay(ways.find((each) => each.key === $("colour").value));
  $("chains").onchange = drawSoon;
  $("fit").onclick = fit;
  $("bigger").onclick = () => zoom(1.4);
  $("smaller").onclick = () => zoom(1 / 1.4);
  $("theme").onclick = () => setTheme(theme === "dark" ? "light" : "dark");

  const pointers = new Map();
  let moved = 0;
  let isDragged = false; // the picked grain
  const over = $("over");
  const place = (event) => {
    const box = over.getBoundingClientRect();
    return [(event.clientX - box.left) * view.ratio, (event.clientY - box.top) * view.ratio];
  };
  over.addEventListener("pointerdown", (event) => {
    over.setPointerCapture(event.pointerId);
    const at = place(event);
    if (pointers.size === 0) {
      moved = 0;
      isDragged = Boolean(source.put) && !playing && picked >= 0 && frame === frames - 1 && grainAt(...at) === picked;
    } else if (isDragged) { // two fingers zoom
      isDragged = false;
      drawAnew();
    }
    pointers.set(event.pointerId, at);
  }, { signal });
  over.addEventListener("pointermove", (event) => {
    const from = pointers.get(event.pointerId);
    if (!from) return;
    const to = place(event);
    const other = [...pointers.entries()].find(([id]) => id !== event.pointerId);
    moved += Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (isDragged) {
      poses[4 * picked] += (to[0] - from[0]) * view.metres;
      poses[4 * picked + 1] -= (to[1] - from[1]) * view.metres;
      renderer.setFrame(poses, colours);
      pointers.set(event.pointerId, to);
      drawSoon();
      return;
    }
    isFitted = isFitted && moved < 5;
    if (other) { // two fingers: the distance between them zooms
      const distance = (point) => Math.hypot(point[0] - other[1][0], point[1] - other[1][1]);
      zoom(distance(to) / Math.max(1, distance(from)), 0.5 * (to[0] + other[1][0]), 0.5 * (to[1] + other[1][1]));
    }
    const part = other ? 0.5 : 1;
    view.x -= part * (to[0] - from[0]) * view.metres;
    view.y += part * (to[1] - from[1]) * view.metres;
    pointers.set(event.pointerId, to);
    drawSoon();
  }, { signal });
  const release = (event) => {
    const at = pointers.get(event.pointerId);
    pointers.delete(event.pointerId);
    if (isDragged && at) {
      isDragged = false;
      if (moved >= 5 * view.ratio && event.type === "pointerup") {
        const [x, y] = [0, 1].map((axis) => poses[4 * picked + axis] + run.domain.lo[axis]);
        source.put(run.grain_id[picked], x, y);
        return;
      }
      drawAnew();
    }
    if (at && event.type === "pointerup" && moved < 5 * view.ratio) pick(...at);
  };
  over.addEventListener("pointerup", release, { signal });
  over.addEventListener("pointercancel", release, { signal });
  over.addEventListener("dblclick", fit, { signal });
  over.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-clamp(event.deltaY, -200, 200) / 400), ...place(event));
  }, { passive: false, signal });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("[contenteditable], textarea, dialog")) return; // there keys are letters
    const tag = event.target.tagName;
    const key = event.key;
    if (tag === "SELECT" || (event.target.id === "scrub" && key.startsWith("Arrow"))) return;
    if (tag === "BUTTON" && (key === " " || key === "Enter")) return;
    if ((tag === "INPUT" || tag === "SUMMARY") && event.target.id !== "scrub" && key === " ") return;
    const choice = (list, now, by) => list[clamp(list.indexOf(now) + by, 0, list.length - 1)];
    const actions = {
      " ": () => $("play").click(), ArrowLeft: () => step(event.shiftKey ? -10 : -1), ArrowRight: () => step(event.shiftKey ? 10 : 1),
      Home: () => step(-frames), End: () => step(frames), "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: fit,
      ",": () => setRate(choice(rates, rate, -1)), ".": () => setRate(choice(rates, rate, 1)), c: () => setWay(ways[(ways.indexOf(way) + 1) % ways.length]),
      f: () => $("chains").click(), Escape: () => { picked = -1; fillPicked(); drawSoon(); },
    };
    if (!actions[key]) return;
    event.preventDefault();
    actions[key]();
  }, { signal });
  if (source.address) {
    window.addEventListener("hashchange", () => {
      const t = Number(new URLSearchParams(location.hash.slice(1)).get("t"));
      if (Number.isFinite(t)) seek(t);
    }, { signal });
  }
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"), { signal });
  window.addEventListener("beforeprint", () => {
    setTheme("light");
    $("about").open = true;
  }, { signal });
  const resizes = new ResizeObserver(resize);
  resizes.observe($("stage"));

  const asked = flags.has("t") && Number.isFinite(Number(flags.get("t")));
  if (asked) frame = nearestFrame(Number(flags.get("t")));
  setTheme(dark.matches ? "dark" : "light");
  fillPicked();
  resize();
  draw();
  // A link to a time shows that time; who wants little motion presses play.
  const hasMore = frame < frames - 1 || (engine && !engine.isOver());
  if (!asked && hasMore && !flags.has("wait") && !window.matchMedia("(prefers-reduced-motion: reduce)").matches) play();
  return {
    kind: renderer.kind, source, frame: () => frame, show: (number) => { show(number); draw(); }, play, pause, drawAnew,
    // Where a grain is in the window [px], for tests.
    placeOnScreen(grain) {
      const box = over.getBoundingClientRect();
      return [
        box.left + (0.5 * over.width + (poses[4 * grain] - view.x) / view.metres) / view.ratio,
        box.top + (0.5 * over.height - (poses[4 * grain + 1] - view.y) / view.metres) / view.ratio,
      ];
    },
    close() { // another player takes its place
      closed.abort();
      pause();
      clearTimeout(chartsDue);
      cancelAnimationFrame(due);
      resizes.disconnect();
      source.changed = () => {};
      renderer.close();
      newCanvas(canvas);
    },
  };
}
