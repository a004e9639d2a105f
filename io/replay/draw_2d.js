"use strict";
// Draws grains on a canvas where there is no WebGL, and for everybody what lies over them: walls, sides, chains, paths.

function make2d(canvas, run) {
  const context = canvas.getContext("2d");
  let poses = null;
  let colours = null;
  return {
    kind: "2d",
    get room() {
      return 4 * run.count;
    },
    grow() {},
    close() {},
    setFrame(newPoses, newColours) {
      poses = newPoses;
      colours = newColours;
    },
    draw(view) {
      const { width, height } = canvas;
      context.clearRect(0, 0, width, height);
      context.lineWidth = view.line;
      const names = new Map();
      for (let grain = 0; grain < run.count; ++grain) {
        const at = 4 * grain;
        const scale = poses[at + 3] / view.metres;
        if (!(scale > 0)) continue;
        const x = 0.5 * width + (poses[at] - view.x) / view.metres;
        const y = 0.5 * height - (poses[at + 1] - view.y) / view.metres;
        const reach = 3 * run.grain_size[grain] * scale;
        if (x < -reach || y < -reach || x > width + reach || y > height + reach) continue;
        const key = (colours[at] << 16) | (colours[at + 1] << 8) | colours[at + 2];
        let name = names.get(key);
        if (!name) {
          const rgb = [colours[at], colours[at + 1], colours[at + 2]];
          names.set(key, (name = [cssOf(rgb), cssOf(rgb.map((c) => Math.round(c * view.edge)))]));
        }
        const c = scale * Math.cos(poses[at + 2]);
        const s = scale * Math.sin(poses[at + 2]);
        const count = run.grain_corners[grain];
        context.beginPath();
        if (count === 0) {
          const r = run.grain_size[grain] * scale;
          context.arc(x, y, r, 0, 2 * Math.PI);
          if (r > 5) {
            context.moveTo(x, y);
            context.lineTo(x + c * run.grain_size[grain], y - s * run.grain_size[grain]);
          }
        }
        for (let k = run.corner_start[grain]; k < run.corner_start[grain] + count; ++k) {
          const [a, b] = [run.corner_x[k], run.corner_y[k]];
          context.lineTo(x + c * a - s * b, y - s * a - c * b);
        }
        if (count > 0) context.closePath();
        context.fillStyle = name[0];
        context.fill();
        if (view.line > 0.2) {
          context.strokeStyle = name[1];
          context.stroke();
        }
      }
    },
  };
}

const kChainBins = 8;

// frame: poses, walls, number, chains (shown or not), grain picked (or -1). look: colours of the page.
function drawOver(canvas, run, view, frame, look) {
  const context = canvas.getContext("2d");
  const { width, height } = canvas;
  const px = (x) => 0.5 * width + (x - view.x) / view.metres;
  const py = (y) => 0.5 * height - (y - view.y) / view.metres;
  context.clearRect(0, 0, width, height);
  context.lineJoin = context.lineCap = "round";
  const dot = view.ratio;

  // Sides that throw back are lines, periodic ones dashed; open ones are not there. A cell that deforms has four of its own.
  const { lo, hi, periodic, reflecting } = run.domain;
  const [w, h] = [hi[0] - lo[0], hi[1] - lo[1]];
  const [a, b, c, d] = run.cells[frame.number] || [[0, 0], [w, 0], [w, h], [0, h]];
  context.strokeStyle = look.wall;
  for (const { name, shift } of run.panels) {
    const at = ([x, y]) => [px(x + shift[0]), py(y + shift[1])];
    for (const [axis, ends] of [[0, [[a, d], [b, c]]], [1, [[a, b], [d, c]]]]) {
      if (!periodic[axis] && !reflecting) continue;
      context.setLineDash(periodic[axis] ? [6 * dot, 5 * dot] : []);
      context.lineWidth = (periodic[axis] ? 1 : 2) * dot;
      for (const [from, to] of ends) {
        context.beginPath();
        context.moveTo(...at(from));
        context.lineTo(...at(to));
        context.stroke();
      }
    }
    if (!name) continue;
    context.fillStyle = look.ink;
    context.font = `${15 * dot}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.fillText(name, px(0.5 * (run.view[0] + run.view[1]) - lo[0] + shift[0] - run.panels.at(-1).shift[0] / 2), py(run.view[3] - lo[1]) - 8 * dot);
  }
  context.setLineDash([]);

  context.fillStyle = look.wall;
  context.lineWidth = 2 * dot;
  for (const outline of frame.walls) {
    context.beginPath();
    for (const [x, y] of outline) context.lineTo(px(x), py(y));
    if (outline.length > 2) context.fill();
    else context.stroke();
  }

  if (frame.chains && run.chain) drawChains(context, run, view, frame, look, px, py);
  if (frame.picked < 0) return;
  context.strokeStyle = look.pick;
  context.lineWidth = 1.6 * dot;
  context.beginPath();
  const [first, count] = run.framesOf(frame.picked);
  let last = null;
  for (let k = 0; k < count; ++k) {
    const place = run.placeOf(frame.picked, first + k);
    if (place < 0) break;
    const at = run.positionAt(place);
    const wrapped = last && [0, 1].some((axis) => periodic[axis] && Math.abs(at[axis] - last[axis]) > 0.5 * [w, h][axis]);
    if (!last || wrapped) context.moveTo(px(at[0]), py(at[1]));
    else context.lineTo(px(at[0]), py(at[1]));
    last = at;
  }
  context.stroke();
  const at = 4 * frame.picked;
  if (!(frame.poses[at + 3] > 0)) return;
  context.lineWidth = 2.5 * dot;
  context.beginPath();
  const radius = (1.25 * run.grain_size[frame.picked] * frame.poses[at + 3]) / view.metres + 3 * dot;
  context.arc(px(frame.poses[at]), py(frame.poses[at + 1]), radius, 0, 2 * Math.PI);
  context.stroke();
}

// Lines from centre to point to centre, as wide as the force is large.
function drawChains(context, run, view, frame, look, px, py) {
  const chains = run.chainsAt(frame.number);
  const bins = Array.from({ length: kChainBins }, () => new Path2D());
  for (let k = 0; k < chains.count; ++k) {
    const path = bins[Math.min(kChainBins - 1, Math.floor(chains.share(k) * kChainBins))];
    const at = 4 * chains.a(k);
    const [x, y] = [frame.poses[at], frame.poses[at + 1]];
    path.moveTo(px(x), py(y));
    path.lineTo(px(x + chains.x(k)), py(y + chains.y(k)));
    const to = 4 * chains.b(k);
    if (to >= 0) path.lineTo(px(frame.poses[to]), py(frame.poses[to + 1]));
  }
  bins.forEach((path, k) => {
    const { width, colour } = chainLook(k, view, look);
    context.lineWidth = width;
    context.strokeStyle = colour;
    context.stroke(path);
  });
}

// How the lines of a bin are drawn: width in pixels of the canvas, colour.
function chainLook(bin, view, look) {
  const widest = Math.max(2.2 * view.ratio, (0.9 * view.radius) / view.metres);
  const share = (bin + 0.5) / kChainBins;
  return { width: Math.max(0.35 * view.ratio, widest * share), colour: look.force[Math.round(share * (look.force.length - 1))] };
}

// A length for people, of a round number of metres.
function lengthText(metres) {
  const [unit, name] = [[1000, "km"], [1, "m"], [0.01, "cm"], [0.001, "mm"], [1e-6, "µm"]].find(([size]) => metres >= size * (1 - 1e-9)) || [1, "m"];
  return `${short(Number((metres / unit).toPrecision(6)))} ${name}`;
}

// What lengths mean, and widths of chains: a bar as long as a round number, at most 110 pixels of the page, and lines of
// three forces as they are drawn, as far as they have room.
function fillScales(element, run, view, areChains, look) {
  const metres = view.metres * view.ratio;
  const length = roundNumber(roundFrom(110 * metres * (1 + 1e-9)) - 1);
  const bar = `<i class="length" style="width:${(length / metres).toFixed(1)}px"></i>${lengthText(length)}`;
  let chains = "";
  if (areChains && run.chain && run.chain_force > 0) {
    const greatest = roundFrom(run.chain_force * (1 + 1e-9)) - 1;
    const lines = [0, 1, 2].map((less) => {
      const force = roundNumber(greatest - less);
      const bin = Math.min(kChainBins - 1, Math.floor((force / run.chain_force) * kChainBins));
      const { width, colour } = chainLook(bin, view, look);
      return { force, width: width / view.ratio, colour };
    });
    const kMost = 16; // pixels: the height of a line of the legend
    const fitting = lines.filter((line) => line.width <= kMost);
    const shown = fitting.length > 0 ? fitting : lines.slice(-1);
    chains = shown.map(({ force, width, colour }) =>
      `<span><i class="chain" style="height:${Math.min(width, kMost).toFixed(1)}px;background:${colour}"></i>${short(force)} N</span>`).join("");
  }
  const html = `<div>${bar}</div>${chains ? `<div title="normal force">${chains}</div>` : ""}`;
  if (element.dataset.shown === html) return;
  element.dataset.shown = html;
  element.innerHTML = html;
}
