"use strict";
// Draws grains by WebGL2: one mesh of all grains, whose poses and colours are two textures that a frame fills anew.

const kPoseShader = `#version 300 es
precision highp float;
uniform highp sampler2D poses;
uniform sampler2D colours;
uniform vec2 centre, scale;
uniform float line, shade;
in vec2 corner, inward;
in float grain;
out vec2 on_disk;
flat out vec3 fill;
void main() {
  int g = int(grain), across = textureSize(poses, 0).x;
  ivec2 at = ivec2(g % across, g / across);
  vec4 pose = texelFetch(poses, at, 0);
  fill = texelFetch(colours, at, 0).rgb * shade;
  vec2 local = IS_DISK ? corner * 1.06 : corner + inward * min(line, 0.12 * length(corner));
  on_disk = inward * 1.06;
  local *= pose.w;
  float c = cos(pose.z), s = sin(pose.z);
  vec2 world = pose.xy + vec2(c * local.x - s * local.y, s * local.x + c * local.y);
  gl_Position = vec4((world - centre) * scale, 0.0, 1.0);
}`;
const kPolygonShader = `#version 300 es
precision highp float;
flat in vec3 fill;
out vec4 colour;
void main() { colour = vec4(fill, 1.0); }`;
// A disk lies inside its square; a line from its centre shows how it turns.
const kDiskShader = `#version 300 es
precision highp float;
uniform float edge;
in vec2 on_disk;
flat in vec3 fill;
out vec4 colour;
void main() {
  float r = length(on_disk), soft = fwidth(r);
  float width = max(soft, 0.045), rim = smoothstep(1.0 - width - soft, 1.0 - width, r);
  float mark = (1.0 - smoothstep(0.04, 0.04 + soft, abs(on_disk.y))) * step(0.0, on_disk.x) * (1.0 - smoothstep(0.06, 0.12, soft));
  float alpha = 1.0 - smoothstep(1.0 - 0.5 * soft, 1.0 + 0.5 * soft, r);
  vec3 ink = mix(fill, fill * edge, max(rim * (1.0 - smoothstep(0.1, 0.4, soft)), 0.7 * mark));
  colour = vec4(ink * alpha, alpha);
}`;

// Triangles of an outline, counter-clockwise, that need not be convex: by ears.
function trianglesOf(count, at) {
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
  const same = (a, b) => a[0] === b[0] && a[1] === b[1];
  const triangles = [];
  const left = Array.from({ length: count }, (_, k) => k);
  if (left.every((k) => turn(at(k), at(k + 1), at(k + 2)) >= 0)) {
    for (let k = 2; k < count; ++k) triangles.push(0, k - 1, k);
    return triangles;
  }
  while (left.length > 3) {
    const n = left.length;
    let ear = left.findIndex((_, k) => {
      const [a, b, c] = [-1, 0, 1].map((step) => at(left[(k + step + n) % n]));
      if (turn(a, b, c) <= 0) return false;
      return left.every((other) => {
        const p = at(other);
        return same(p, a) || same(p, b) || same(p, c) || turn(a, b, p) < 0 || turn(b, c, p) < 0 || turn(c, a, p) < 0;
      });
    });
    if (ear < 0) ear = 1; // what rounding leaves
    triangles.push(left[(ear + n - 1) % n], left[ear], left[(ear + 1) % n]);
    left.splice(ear, 1);
  }
  triangles.push(...left);
  return triangles;
}

// Of the grains from a number on: corners, triangles, and at each corner the way inward that moves both its edges by one unit.
// Corners are counted from `base`.
function polygonMesh(run, first, base) {
  const corners = [];
  const triangles = [];
  for (let grain = first; grain < run.count; ++grain) {
    const from = run.corner_start[grain];
    const count = run.grain_corners[grain];
    const at = (k) => [run.corner_x[from + ((k + count) % count)], run.corner_y[from + ((k + count) % count)]];
    const normal = (a, b) => {
      const [x, y] = [b[0] - a[0], b[1] - a[1]];
      const length = Math.hypot(x, y) || 1;
      return [-y / length, x / length];
    };
    for (let k = 0; k < count; ++k) {
      const [n, m] = [normal(at(k - 1), at(k)), normal(at(k), at(k + 1))];
      const share = 1 / Math.max(0.3, 1 + n[0] * m[0] + n[1] * m[1]);
      corners.push(...at(k), (n[0] + m[0]) * share, (n[1] + m[1]) * share, grain);
    }
    for (const k of count > 0 ? trianglesOf(count, at) : []) triangles.push(base + k);
    base += count;
  }
  return { corners: new Float32Array(corners), triangles: new Uint32Array(triangles) };
}

function diskMesh(run, first, base) {
  const corners = [];
  const triangles = [];
  for (let grain = first; grain < run.count; ++grain) {
    if (run.grain_corners[grain] > 0) continue;
    const r = run.grain_size[grain];
    for (const [x, y] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) corners.push(r * x, r * y, x, y, grain);
    triangles.push(base, base + 1, base + 2, base, base + 2, base + 3);
    base += 4;
  }
  return { corners: new Float32Array(corners), triangles: new Uint32Array(triangles) };
}

// Nothing where there is no WebGL2.
function makeGl(canvas, run) {
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: true, preserveDrawingBuffer: true });
  if (!gl) return null;
  const program = (fragment, isDisk) => {
    const made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, kPoseShader.replace("IS_DISK", isDisk)], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    ["corner", "inward", "grain"].forEach((name, k) => gl.bindAttribLocation(made, k, name));
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw Error(gl.getProgramInfoLog(made));
    return made;
  };
  // A buffer that takes more numbers: it has room for as many again as it had to take.
  const growingBuffer = (target, Numbers) => {
    const buffer = gl.createBuffer();
    let numbers = new Numbers(0);
    let count = 0;
    return {
      get count() {
        return count;
      },
      bind: () => gl.bindBuffer(target, buffer),
      append(more) {
        gl.bindBuffer(target, buffer);
        if (count + more.length > numbers.length) {
          const all = new Numbers(count > 0 ? 2 * (count + more.length) : more.length);
          all.set(numbers.subarray(0, count));
          all.set(more, count);
          numbers = all;
          gl.bufferData(target, numbers, gl.DYNAMIC_DRAW);
        } else {
          numbers.set(more, count);
          gl.bufferSubData(target, count * numbers.BYTES_PER_ELEMENT, more);
        }
        count += more.length;
      },
    };
  };
  const emptyMesh = () => {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const corners = growingBuffer(gl.ARRAY_BUFFER, Float32Array);
    const triangles = growingBuffer(gl.ELEMENT_ARRAY_BUFFER, Uint32Array);
    corners.bind();
    [[2, 0], [2, 8], [1, 16]].forEach(([size, offset], k) => {
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, size, gl.FLOAT, false, 20, offset);
    });
    triangles.bind();
    return { array, corners, triangles };
  };
  let across, rows;
  const textures = [];
  const texture = (unit, format) => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.deleteTexture(textures[unit] || null);
    gl.bindTexture(gl.TEXTURE_2D, (textures[unit] = gl.createTexture()));
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, across, rows);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
  };
  const parts = [
    { program: program(kPolygonShader, false), meshOf: polygonMesh, mesh: emptyMesh(), isDisk: false },
    { program: program(kDiskShader, true), meshOf: diskMesh, mesh: emptyMesh(), isDisk: true },
  ];
  let known = 0; // grains in the meshes
  const grow = () => {
    for (const { meshOf, mesh } of parts) {
      const { corners, triangles } = meshOf(run, known, mesh.corners.count / 5);
      if (triangles.length === 0) continue;
      gl.bindVertexArray(mesh.array);
      mesh.corners.append(corners);
      mesh.triangles.append(triangles);
    }
    if (known === 0 || run.count > across * rows) {
      const room = Math.max(1, known > 0 ? 2 * run.count : run.count);
      across = Math.min(2048, room);
      rows = Math.ceil(room / across);
      texture(0, gl.RGBA32F);
      texture(1, gl.RGBA8);
    }
    known = run.count;
  };
  grow();
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

  return {
    kind: "gl",
    get room() { // numbers in each of the two textures
      return 4 * across * rows;
    },
    grow, // after births
    close: () => gl.getExtension("WEBGL_lose_context")?.loseContext(),
    setFrame(poses, colours) {
      gl.activeTexture(gl.TEXTURE0);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, across, rows, gl.RGBA, gl.FLOAT, poses);
      gl.activeTexture(gl.TEXTURE1);
      gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, across, rows, gl.RGBA, gl.UNSIGNED_BYTE, colours);
    },
    // view: centre [m], metres of a pixel of the canvas
    draw(view) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      for (const part of parts) {
        const { count } = part.mesh.triangles;
        if (count === 0) continue;
        gl.useProgram(part.program);
        const set = (name) => gl.getUniformLocation(part.program, name);
        gl.uniform1i(set("poses"), 0);
        gl.uniform1i(set("colours"), 1);
        gl.uniform2f(set("centre"), view.x, view.y);
        gl.uniform2f(set("scale"), 2 / (canvas.width * view.metres), 2 / (canvas.height * view.metres));
        gl.uniform1f(set("edge"), view.edge);
        gl.bindVertexArray(part.mesh.array);
        const pass = (line, shade) => {
          gl.uniform1f(set("line"), line);
          gl.uniform1f(set("shade"), shade);
          gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
        };
        if (!part.isDisk) pass(0, view.edge);
        pass(part.isDisk ? 0 : view.line * view.metres, 1);
      }
    },
  };
}
