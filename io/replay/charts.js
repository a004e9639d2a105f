"use strict";
// Charts of the tables that follow the time.

const both = (column) => [[`soft_${column}`, "soft"], [`hard_${column}`, "hard"]];
const kCharts = [
  { title: "Energy [J]", table: "series.csv", columns: [["kinetic_energy [J]", "kinetic"], ["elastic_energy [J]", "elastic"]] },
  { title: "Grains", table: "series.csv", columns: [["particles", "present"], ["particles_out", "left"]] },
  { title: "Contacts of a grain", table: "series.csv", columns: [["coordination", "mean"]] },
  { title: "Largest depth over diameter", table: "series.csv", columns: [["max_depth_ratio", "largest"]] },
  { title: "Energy residual", table: "series.csv", columns: [["energy_residual", "error of the balance"]] },
  { title: "Packing fraction", table: "series.csv", columns: [["packing_fraction", "disks"]] },
  { title: "Mass that left [kg]", table: "flow.csv", columns: [["mass [kg]", "sum"]], sum: true },
  { title: "Mass that left [kg]", table: "series.csv", columns: [["mass_out [kg]", "sum"]] }, // of a run that goes on
  { title: "Kinetic energy [J]", table: "compare.csv", columns: both("kinetic_energy [J]") },
  { title: "Collisions [1/s]", table: "compare.csv", columns: both("collision_rate [1/s]") },
  { title: "Mean height [m]", table: "compare.csv", columns: both("mean_height [m]") },
  { title: "Disks that left", table: "compare.csv", columns: both("left") },
  { title: "Difference of positions [m]", table: "compare.csv",
    columns: [["position_difference_rms [m]", "modes"], ["chaos_position_difference_rms [m]", "rounding"]] },
];
const kChartWidth = 340;
const kChartHeight = 118;
const kPlotBox = { left: 60, right: 332, top: 26, bottom: 100 };

function svgElement(parent, tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return parent.appendChild(element);
}

// The curves of a chart: [name, times, values]; those without any value but 0 are left out.
function curvesOf(tables, chart, range) {
  const table = tables[chart.table];
  if (!table) return [];
  const rows = table["time [s]"] || [];
  return chart.columns.flatMap(([column, name]) => {
    let values = (table[column] || []).map((value) => (value === null ? NaN : value));
    let times = rows;
    if (chart.sum) {
      // A sum stands between two rows, before the first and behind the last.
      let sum = 0;
      const steps = values.map((value) => [sum, (sum += value)]);
      values = [0, ...steps.flat(), sum];
      times = [range[0], ...rows.flatMap((time) => [time, time]), range[1]];
    }
    return values.some((value) => Math.abs(value) > 0) && values.length > 1 ? [{ name, times, values }] : [];
  });
}

// The last row at or before a time.
function rowAt(times, time) {
  let [low, high] = [-1, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time * (1 + 1e-9)) low = middle;
    else high = middle - 1;
  }
  return low;
}

// One chart; returns what moves its mark to a time. seek(time) is called where the user points.
function addChart(parent, title, curves, range, seek) {
  const figure = parent.appendChild(document.createElement("figure"));
  const svg = svgElement(figure, "svg", { viewBox: `0 0 ${kChartWidth} ${kChartHeight}`, role: "img", "aria-label": title });
  const { left, right, top, bottom } = kPlotBox;
  const finite = curves.flatMap((curve) => curve.values.filter(Number.isFinite));
  let [least, greatest] = [Math.min(0, finite.reduce((a, b) => Math.min(a, b), 0)), finite.reduce((a, b) => Math.max(a, b), -Infinity)];
  if (!(greatest > least)) greatest = least + 1;
  const x = (time) => left + ((time - range[0]) / (range[1] - range[0] || 1)) * (right - left);
  const y = (value) => bottom - ((value - least) / (greatest - least)) * (bottom - top);
  svgElement(svg, "text", { x: 2, y: 13, class: "title" }, title);
  for (const value of [least, greatest]) {
    svgElement(svg, "line", { x1: left, x2: right, y1: y(value), y2: y(value), class: "grid" });
    svgElement(svg, "text", { x: left - 5, y: y(value) + 3.5, class: "end" }, short(value));
  }
  for (const time of range) {
    svgElement(svg, "text", { x: x(time), y: bottom + 13, class: time === range[0] ? "start" : "end" }, `${short(time)} s`);
  }
  curves.forEach((curve, k) => {
    const step = Math.max(1, Math.floor(curve.values.length / 2000));
    let path = "";
    const last = curve.values.length - 1;
    for (let row = 0; row <= last; row = row < last ? Math.min(row + step, last) : last + 1) {
      if (Number.isFinite(curve.values[row])) path += `${path ? "L" : "M"}${x(curve.times[row]).toFixed(1)} ${y(curve.values[row]).toFixed(1)}`;
    }
    svgElement(svg, "path", { d: path, class: `curve curve-${k}` });
  });
  const mark = svgElement(svg, "line", { y1: top - 4, y2: bottom, class: "mark" });
  const texts = curves.map((_, k) => svgElement(svg, "text", { x: right, y: 13, class: `end now curve-text-${k}` }));
  const pointTo = (event) => {
    const box = svg.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * kChartWidth;
    seek(range[0] + (Math.min(1, Math.max(0, (at - left) / (right - left)))) * (range[1] - range[0]));
  };
  svg.addEventListener("pointerdown", pointTo);
  svg.addEventListener("pointermove", (event) => event.buttons & 1 && pointTo(event));
  return (time) => {
    mark.setAttribute("x1", x(time));
    mark.setAttribute("x2", x(time));
    let end = right;
    for (let k = curves.length - 1; k >= 0; --k) {
      // Where a curve has ended it has no value. Tables have six digits of a time.
      const row = time <= curves[k].times.at(-1) + 1e-5 * Math.abs(time) ? rowAt(curves[k].times, time) : -1;
      const value = row >= 0 && Number.isFinite(curves[k].values[row]) ? short(curves[k].values[row]) : "–";
      texts[k].textContent = `${curves[k].name} ${value}`;
      texts[k].setAttribute("x", end);
      end -= 6.1 * texts[k].textContent.length + 10;
    }
  };
}

// Instead of those that are there.
function addCharts(parent, tables, range, seek) {
  parent.replaceChildren();
  const moves = [];
  for (const chart of kCharts) {
    const curves = curvesOf(tables, chart, range);
    if (curves.length > 0) moves.push(addChart(parent, chart.title, curves, range, seek));
  }
  return (time) => moves.forEach((move) => move(time));
}
