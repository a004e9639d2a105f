"use strict";
// A source of the player (player.js) whose run goes on: what the engine of the playground (web/worker.js) or a run that is
// looked at (live.js) tells, kept frame by frame. The arrays of a frame are those of io/replay/shown_frame.hpp.

const kMostBytes = 160e6; // of frames; beyond it every other one is forgotten
const kPlaces = 2 ** 21; // a place is a frame and a grain: frame * kPlaces + grain
const kMostRows = 400; // of a chart
const kValues = [{ name: "speed" }, { name: "coordination", counts: true }, { name: "angular_velocity" }, { name: "force" }];

// From whichever thousand of the values: what a share of them are below.
function shareOf(values, share) {
  const step = Math.max(1, Math.floor(values.length / 1000));
  const some = new Float32Array(Math.floor(values.length / step));
  for (let k = 0; k < some.length; ++k) some[k] = Math.abs(values[k * step]);
  some.sort();
  return some.length > 0 ? some[Math.min(some.length - 1, Math.floor(share * some.length))] : 0;
}

// description: of the Worker's "opened", or of live.js; first: the first frame; tell(message): to the engine.
function engineSource(description, first, tell) {
  const frames = [];
  const greatest = Object.fromEntries(kValues.map(({ name }) => [name, 0]));
  let bytes = 0;
  let scales = 0;
  let turns = [{ at: 0, time: description.begins || 0, backward: false }]; // since when, in seconds that passed, time has run which way
  let isOver = false;
  let wantsRate = 0;

  const run = {
    ...description,
    times: [], cells: [], arrays: kValues, panels: [{ name: "", shift: [0, 0] }], colour: "", coloured: false,
    count: 0, grain_first: [], grain_id: [], grain_type: [], grain_material: [], grain_corners: [], grain_size: [],
    grain_mass: [], grain_colour: [], corner_start: [0], corner_x: [], corner_y: [],
    chain: description.mode === "soft", chain_force: 0,
    framesOf(grain) {
      let [low, high] = [0, frames.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (frames[middle].grains > grain) high = middle;
        else low = middle + 1;
      }
      return [low, frames.length - low];
    },
    placeOf(grain, frame) {
      const { poses } = frames[frame];
      return 4 * grain < poses.length && poses[4 * grain + 3] > 0 ? frame * kPlaces + grain : -1;
    },
    valueAt: (array, place) => frames[Math.floor(place / kPlaces)][array.name][place % kPlaces],
    positionAt(place) {
      const { poses } = frames[Math.floor(place / kPlaces)];
      const at = 4 * (place % kPlaces);
      return [poses[at], poses[at + 1]];
    },
    percentile: (array) => greatest[array.name],
    chainsAt(frame) {
      const { chains } = frames[frame];
      return {
        count: chains.length / 5,
        a: (k) => chains[5 * k],
        b: (k) => chains[5 * k + 1],
        x: (k) => chains[5 * k + 2],
        y: (k) => chains[5 * k + 3],
        share: (k) => Math.min(1, chains[5 * k + 4] / run.chain_force),
      };
    },
  };

  const passed = (time) => turns.at(-1).at + Math.abs(time - turns.at(-1).time);

  function takeBirths({ births, birth_corners }) {
    let corner = 0;
    for (let at = 0; at < births.length; at += 7) {
      const [type, material, corners, size, mass, colour, id] = births.subarray(at, at + 7);
      run.grain_type.push(type);
      run.grain_material.push(material);
      run.grain_corners.push(corners);
      run.grain_size.push(size);
      run.grain_mass.push(mass);
      run.grain_id.push(id);
      run.grain_colour.push(colour);
      if (colour >= 0) run.coloured = true;
      for (let k = 0; k < corners; ++k, corner += 2) {
        run.corner_x.push(birth_corners[corner]);
        run.corner_y.push(birth_corners[corner + 1]);
      }
      run.corner_start.push(run.corner_x.length);
      ++run.count;
    }
  }

  function takeScales(frame) {
    let hasChanged = false;
    for (const { name, counts } of kValues) {
      if (counts) continue;
      const value = shareOf(frame[name], 0.99);
      if (value <= greatest[name]) continue;
      hasChanged ||= roundUp(value)[0] !== roundUp(greatest[name])[0];
      greatest[name] = value;
    }
    if (hasChanged) ++scales;
  }

  function forget() {
    const kept = frames.filter((_, k) => k % 2 === 0 || k === frames.length - 1);
    frames.splice(0, frames.length, ...kept);
    run.times.splice(0, run.times.length, ...kept.map(({ at }) => at));
    run.cells.splice(0, run.cells.length, ...kept.map(({ corners }) => corners));
    bytes = kept.reduce((sum, frame) => sum + frame.bytes, 0);
  }

  const source = {
    run,
    span: description.end,
    frames: () => frames.length,
    births: () => run.count,
    scales: () => scales,
    poses: (frame, numbers) => {
      numbers.fill(0);
      numbers.set(frames[frame].poses);
      run.chain_force = frames[frame].chain_force;
    },
    walls(frame) {
      const { walls, wall_starts } = frames[frame];
      const outlines = [];
      for (let k = 0; k + 1 < wall_starts.length; ++k) {
        const outline = [];
        for (let c = wall_starts[k]; c < wall_starts[k + 1]; ++c) outline.push([walls[2 * c], walls[2 * c + 1]]);
        outlines.push(outline);
      }
      return outlines;
    },
    tables() {
      const step = Math.max(1, Math.ceil(frames.length / kMostRows));
      const rows = frames.filter((_, k) => k % step === 0 || k === frames.length - 1);
      const table = { "time [s]": rows.map(({ at }) => at) };
      for (const name of Object.keys(frames[0].row)) {
        if (name !== "time [s]") table[name] = rows.map(({ row }) => row[name]);
      }
      return { "series.csv": table };
    },
    clock(frame, text) {
      const { time, backward } = frames[frame];
      return turns.length > 1 || backward ? `t = ${text(time)}${backward ? ", backward" : ""}` : `t = ${text(time)}`;
    },
    changed() {},
    engine: {
      play(rate) {
        if (rate === wantsRate) return;
        wantsRate = rate;
        tell({ kind: "play", rate });
      },
      pause() {
        wantsRate = 0;
        tell({ kind: "pause" });
      },
      step() {
        tell({ kind: "step" });
      },
      isOver: () => isOver,
    },
    // The page hands over what the engine tells.
    take(frame) {
      takeBirths(frame);
      takeScales(frame);
      frame.at = passed(frame.time);
      frame.corners = frame.cell.length > 0 ? [0, 2, 4, 6].map((k) => [frame.cell[k], frame.cell[k + 1]]) : undefined;
      frame.bytes = 4 * (frame.poses.length + 4 * frame.speed.length + frame.chains.length + frame.walls.length) + 400;
      frame.births = frame.birth_corners = null;
      // A state that was shown already is shown as it is now.
      if (frames.length > 0 && frame.at <= frames.at(-1).at) return;
      frames.push(frame);
      run.times.push(frame.at);
      run.cells.push(frame.corners);
      bytes += frame.bytes;
      if (bytes > kMostBytes) forget();
      source.changed();
    },
    turned({ time, backward }) {
      turns.push({ at: passed(time), time, backward });
      isOver = false;
      wantsRate = 0;
    },
    rested(said) {
      wantsRate = 0;
      isOver = said.isOver;
    },
  };
  source.take(first);
  return source;
}
