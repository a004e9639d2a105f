"use strict";
// Unpacks the columns of whole numbers that io/replay/replay_columns.cpp packed, and puts a run together from them.

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let k = 0; k < text.length; ++k) bytes[k] = text.charCodeAt(k);
  return bytes;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// The numbers of items of these lengths. `bytes`: order of the differences, bytes of a number, then plane by plane.
function unpacked(bytes, lengths) {
  const [order, planes] = bytes;
  const count = (bytes.length - 2) / planes;
  const numbers = new Int32Array(count);
  for (let plane = 0; plane < planes; ++plane) {
    const from = 2 + plane * count;
    for (let k = 0; k < count; ++k) numbers[k] |= bytes[from + k] << (8 * plane);
  }
  let at = 0;
  let first = 0;
  for (const length of lengths) {
    let last = order === 0 ? 0 : first;
    let before = last;
    for (let k = 0; k < length; ++k, ++at) {
      const difference = (numbers[at] >>> 1) ^ -(numbers[at] & 1);
      const foretold = k === 0 ? last : order === 0 ? 0 : order === 1 || k === 1 ? last : 2 * last - before;
      const value = (difference + foretold) | 0;
      numbers[at] = value;
      before = last;
      last = value;
      if (k === 0) first = value;
    }
  }
  return numbers;
}

// FNV-1a over the 32-bit words, as hash_of_numbers has it.
function hashOf(columns) {
  let hash = 2166136261 | 0;
  for (const column of columns) {
    for (let k = 0; k < column.length; ++k) hash = Math.imul(hash ^ column[k], 16777619);
  }
  return (hash >>> 0).toString(16).padStart(8, "0");
}

function startsOf(lengths) {
  const starts = new Uint32Array(lengths.length + 1);
  for (let k = 0; k < lengths.length; ++k) starts[k + 1] = starts[k] + lengths[k];
  return starts;
}

async function readColumn(name, lengths) {
  const element = document.getElementById("column-" + name);
  const bytes = await inflated(bytesOf(element.textContent));
  element.remove(); // its text takes memory
  return unpacked(bytes, lengths || [(bytes.length - 2) / bytes[1]]);
}

// A source (see player.js): a page, whose run is there as a whole.
function fileSource(run) {
  Object.assign(run, {
    framesOf: (grain) => [run.grain_first[grain], run.grain_frames[grain]],
    placeOf: (grain, frame) => placeOf(run, grain, frame),
    valueAt: (array, place) => valueAt(run, array, place),
    positionAt: (place) => [run.x[place] * run.unit, run.y[place] * run.unit],
    percentile: (array, share) => percentile(run, array, share),
    chainsAt: (frame) => chainsAt(run, frame),
  });
  return {
    run,
    frames: () => run.times.length,
    births: () => run.count, // grains so far
    poses: (frame, numbers) => posesAt(run, frame, numbers),
    walls: (frame) => wallsAt(run, frame),
    tables: () => run.tables,
    address: (time) => `#t=${Number(time.toPrecision(6))}`,
    changed: () => {},
  };
}

async function readRun() {
  const run = JSON.parse(document.getElementById("header").textContent);
  run.frames = run.times.length;
  run.count = run.grains;
  for (const name of ["id", "first", "frames", "type", "material", "corners"]) {
    run["grain_" + name] = await readColumn(name);
  }
  run.grain_size = new Float32Array((await readColumn("size")).buffer);
  run.grain_mass = new Float32Array((await readColumn("mass")).buffer);
  if (run.coloured) run.grain_colour = await readColumn("colour");
  run.corner_start = startsOf(run.grain_corners);
  const metres = (numbers) => Float32Array.from(numbers, (k) => k * run.shape_unit);
  run.corner_x = metres(await readColumn("corner-x"));
  run.corner_y = metres(await readColumn("corner-y"));

  const lengths = run.grain_frames;
  run.start = startsOf(lengths);
  run.x = await readColumn("x", lengths);
  run.y = await readColumn("y", lengths);
  run.angle = await readColumn("angle", lengths);
  run.radius = run.grows ? await readColumn("radius", lengths) : null;
  run.found_hash = hashOf([run.x, run.y, run.angle].concat(run.grows ? [run.radius] : []));
  for (const array of run.arrays) array.levels = await readColumn("array-" + array.name, lengths);

  if (run.chain_force > 0) {
    const counts = await readColumn("chain-counts");
    run.chain = { start: startsOf(counts) };
    for (const name of ["a", "b", "dx", "dy", "force"]) run.chain[name] = await readColumn("chain-" + name, counts);
  }
  const cornerLengths = run.walls.flatMap((wall) => Array(wall.corners).fill(wall.frames));
  run.wall_x = await readColumn("wall-x", cornerLengths);
  run.wall_y = await readColumn("wall-y", cornerLengths);
  const starts = startsOf(cornerLengths);
  let item = 0;
  for (const wall of run.walls) {
    wall.starts = Array.from({ length: wall.corners }, (_, k) => starts[item + k]);
    item += wall.corners;
  }
  return run;
}

// Where the numbers of a grain in a frame are, or -1 if it is not there.
function placeOf(run, grain, frame) {
  const age = frame - run.grain_first[grain];
  return age < 0 || age >= run.grain_frames[grain] ? -1 : run.start[grain] + age;
}

// The value of an array at such a place, from its levels.
function valueAt(run, array, place) {
  const level = array.levels[place];
  if (array.counts) return level;
  const root = level / run.levels;
  return Math.sign(root) * root * root * array.greatest;
}

// The value that a share of all values of an array are below.
function percentile(run, array, share) {
  const counts = new Float64Array(4096);
  for (const level of array.levels) ++counts[Math.min(Math.abs(level), 4095)];
  let rest = share * array.levels.length;
  let level = 0;
  while (level < 4095 && (rest -= counts[level]) > 0) ++level;
  return array.counts ? level : (level / run.levels) ** 2 * array.greatest;
}

// Lines of forces from grain a to the point (x, y) beyond its centre [m], and on to grain b unless that is -1. Their share of
// the greatest force is from 0 to 1.
function chainsAt(run, frame) {
  const { start, a, b, dx, dy, force } = run.chain;
  const from = start[frame];
  return {
    count: start[frame + 1] - from,
    a: (k) => a[from + k],
    b: (k) => (b[from + k] === 0 ? -1 : a[from + k] + b[from + k]),
    x: (k) => dx[from + k] * run.chain_unit,
    y: (k) => dy[from + k] * run.chain_unit,
    share: (k) => (force[from + k] / 255) ** 2,
  };
}

// Fills four numbers a grain: x and y from the domain's corner [m], angle, and scale; that of who is not there is 0.
function posesAt(run, frame, poses) {
  const turn = (2 * Math.PI) / run.turn;
  for (let grain = 0; grain < run.count; ++grain) {
    const place = placeOf(run, grain, frame);
    const at = 4 * grain;
    if (place < 0) {
      poses[at + 3] = 0;
      continue;
    }
    poses[at] = run.x[place] * run.unit;
    poses[at + 1] = run.y[place] * run.unit;
    poses[at + 2] = run.angle[place] * turn;
    poses[at + 3] = run.radius ? (run.radius[place] * run.shape_unit) / run.grain_size[grain] : 1;
  }
}

// Corners of the walls that are there, from the domain's corner [m].
function wallsAt(run, frame) {
  const outlines = [];
  for (const wall of run.walls) {
    const age = frame - wall.first;
    if (age < 0 || age >= wall.frames) continue;
    outlines.push(wall.starts.map((start) => [run.wall_x[start + age] * run.unit, run.wall_y[start + age] * run.unit]));
  }
  return outlines;
}
