/**
 * The programs of the graphics card.
 *
 * All of them think in device pixels with y downwards, as the rest of the page does, and turn the picture over at the
 * very end. Colours leave with their opacity multiplied in, which is what the blending expects. Edges are smoothed by
 * computing how much of a pixel is covered: exact for what we draw, and cheaper than multisampling.
 *
 * Marks are not instances: their numbers lie in textures, and each of six vertices a mark fetches what it needs. That
 * is as fast on a graphics card, and nine times as fast where the processor has to play one, as on remote desktops.
 */

/** Texels in a row of a texture that holds numbers of marks; a power of two, and no more than every card can do. */
export const ROW = 2048;

/** Vertices a mark: two triangles. */
export const VERTICES = 6;

/** Shared by all vertex programs. The rules of `stretch` are those of `snap.ts`. */
const COMMON = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
uniform vec2 u_canvas;   // device pixels
uniform float u_ratio;
uniform vec4 u_move;     // scale x, y; offset x, y; CSS pixels
uniform vec4 u_plot;     // left, top, right, bottom; CSS pixels
`;

const VERTEX = `${COMMON}
uniform sampler2D u_palette;
uniform usampler2D u_cells;   // the colour of each mark
uniform sampler2D u_shape;

int mark() { return gl_VertexID / ${VERTICES}; }

ivec2 texel(int at) { return ivec2(at % ${ROW}, at / ${ROW}); }

vec4 shape(int at) { return texelFetch(u_shape, texel(at), 0); }

vec4 paint() {
  uint id = texelFetch(u_cells, texel(mark()), 0).r;
  vec4 colour = texelFetch(u_palette, ivec2(id & 255u, id >> 8u), 0);
  return vec4(colour.rgb * colour.a, colour.a);
}

vec2 moved(vec2 at) { return at * u_move.xy + u_move.zw; }

/** 0 1 2 and 1 2 3 of the corners, counted in rows. */
vec2 corner() {
  int at = gl_VertexID % ${VERTICES};
  at = at < 3 ? at : at - 2;
  return vec2(at & 1, at >> 1);
}

void put(vec2 at) { gl_Position = vec4(at / u_canvas * vec2(2.0, -2.0) + vec2(-1.0, 1.0), 0.0, 1.0); }

vec2 stretch(float start, float size, vec2 edges) {
  float end = start + size;
  bool inside = size > 0.0 ? end > edges.x && start < edges.y : size == 0.0 && start >= edges.x && start <= edges.y;
  if (!inside) return vec2(0.0);
  float from = max(start, edges.x);
  float to = min(end, edges.y);
  if (to - from >= 1.0) return floor(vec2(from, to) * u_ratio + 0.5);
  float pixel = max(1.0, floor(u_ratio + 0.5));
  vec2 limits = floor(edges * u_ratio + 0.5);
  float first = max(limits.x, min(floor(from * u_ratio), limits.y - pixel));
  return vec2(first, first + pixel);
}

void putArea(vec2 start, vec2 size) {
  vec2 across = stretch(start.x, size.x, u_plot.xz);
  vec2 down = stretch(start.y, size.y, u_plot.yw);
  vec2 at = corner();
  put(vec2(mix(across.x, across.y, at.x), mix(down.x, down.y, at.y)));
}
`;

const FRAGMENT = `${COMMON}
out vec4 o_colour;
/** Middle of this pixel, y downwards. */
vec2 pixel() { return vec2(gl_FragCoord.x, u_canvas.y - gl_FragCoord.y); }
`;

export const RECTS = {
  vertex: `${VERTEX}
flat out vec4 v_colour;
void main() {
  v_colour = paint();
  vec4 rect = shape(mark());
  putArea(moved(rect.xy), rect.zw * u_move.xy);
}`,
  fragment: `${FRAGMENT}
flat in vec4 v_colour;
void main() { o_colour = v_colour; }`,
};

export const SEGMENTS = {
  vertex: `${VERTEX}
flat out vec4 v_colour;
flat out float v_half;
out float v_across;

/** Narrows the part of a line that is inside, one side of the plot after the other (Liang and Barsky's way). */
void narrow(float towards, float room, inout vec2 part) {
  if (towards < 0.0) part.x = max(part.x, room / towards);
  else if (towards > 0.0) part.y = min(part.y, room / towards);
  else if (room < 0.0) part = vec2(1.0, 0.0);
}

void main() {
  v_colour = paint();
  v_across = 0.0;
  v_half = 1.0;
  int first = mark() * 5;
  vec4 line = vec4(shape(first).r, shape(first + 1).r, shape(first + 2).r, shape(first + 3).r);
  float width = shape(first + 4).r;
  vec2 from = moved(line.xy);
  vec2 to = moved(line.zw);
  if (line.x == line.z || line.y == line.w) {
    // Along an axis: crisp. Thin lines fill the pixel in which they lie, thicker ones lie around their middle.
    float aside = width > 1.0 ? width : 0.0;
    vec2 beside = line.y != line.w ? vec2(aside, 0.0) : vec2(0.0, aside);
    putArea(min(from, to) - beside * 0.5, abs(to - from) + beside);
    return;
  }
  // Ends far outside would cost the precision of what is inside.
  vec4 near = u_plot + vec4(-1.0, -1.0, 1.0, 1.0) * (width + 2.0);
  vec2 way = to - from;
  vec2 part = vec2(0.0, 1.0);
  narrow(-way.x, from.x - near.x, part);
  narrow(way.x, near.z - from.x, part);
  narrow(-way.y, from.y - near.y, part);
  narrow(way.y, near.w - from.y, part);
  if (part.x > part.y) {
    put(vec2(-8.0));
    return;
  }
  vec2 normal = normalize(vec2(-way.y, way.x));
  v_half = max(width, 0.25) * u_ratio * 0.5;
  float side = corner().y * 2.0 - 1.0;
  v_across = side * (v_half + 1.0);
  put((from + way * mix(part.x, part.y, corner().x)) * u_ratio + normal * v_across);
}`,
  fragment: `${FRAGMENT}
flat in vec4 v_colour;
flat in float v_half;
in float v_across;
void main() { o_colour = v_colour * clamp(v_half + 0.5 - abs(v_across), 0.0, min(1.0, 2.0 * v_half)); }`,
};

export const DISCS = {
  vertex: `${VERTEX}
flat out vec4 v_colour;
flat out float v_radius;
out vec2 v_aside;
void main() {
  v_colour = paint();
  int first = mark() * 3;
  vec2 middle = moved(vec2(shape(first).r, shape(first + 1).r)) * u_ratio;
  // Of the same size however far the picture is zoomed.
  v_radius = shape(first + 2).r * u_ratio;
  v_aside = (corner() * 2.0 - 1.0) * (v_radius + 1.0);
  put(middle + v_aside);
}`,
  fragment: `${FRAGMENT}
flat in vec4 v_colour;
flat in float v_radius;
in vec2 v_aside;
void main() { o_colour = v_colour * clamp(v_radius + 0.5 - length(v_aside), 0.0, 1.0); }`,
};

export const BANDS = {
  vertex: `${VERTEX}
flat out vec4 v_colour;
flat out vec4 v_edges;   // upper left and right, lower left and right
flat out vec2 v_sides;
void main() {
  v_colour = paint();
  int first = mark() * 3;
  v_edges = (vec4(shape(first + 1).rg, shape(first + 2).rg) * u_move.y + u_move.w) * u_ratio;
  v_sides = (shape(first).rg * u_move.x + u_move.z) * u_ratio;
  float top = min(v_edges.x, v_edges.y) - 1.0;
  float bottom = max(v_edges.z, v_edges.w) + 1.0;
  vec2 at = corner();
  put(vec2(mix(v_sides.x, v_sides.y, at.x), mix(top, bottom, at.y)));
}`,
  fragment: `${FRAGMENT}
flat in vec4 v_colour;
flat in vec4 v_edges;
flat in vec2 v_sides;
void main() {
  vec2 at = pixel();
  float along = clamp((at.x - v_sides.x) / max(v_sides.y - v_sides.x, 1e-6), 0.0, 1.0);
  float upper = mix(v_edges.x, v_edges.y, along);
  float lower = mix(v_edges.z, v_edges.w, along);
  o_colour = v_colour * clamp(min(lower, at.y + 0.5) - max(upper, at.y - 0.5), 0.0, 1.0);
}`,
};

/** Calls a pixel become opacity here, by the formulas of `opacity.ts`, so that a slider moves without a new scene. */
export const DENSITY = {
  vertex: `${VERTEX}
uniform vec4 u_area;
void main() { put(moved(u_area.xy + corner() * u_area.zw) * u_ratio); }`,
  fragment: `${FRAGMENT}
uniform vec4 u_area;
uniform usampler2D u_cells;     // calls
uniform sampler2D u_strength;   // their average colour
uniform vec4 u_tone;            // 0 log, 1 linear, 2 blended; least opacity; calls at the fullest cell; opacity of a call

float blended(uint count) {
  float reached = 0.0;
  for (uint layer = 0u; layer < min(count, 255u); layer += 1u) {
    float next = floor(reached + (255.0 - reached) * u_tone.w + 0.5);
    if (next <= reached) break;
    reached = next;
  }
  return reached / 255.0;
}

float opacity(uint count) {
  if (count == 0u) return 0.0;
  if (u_tone.x == 2.0) return blended(count);
  float calls = float(count);
  if (calls >= u_tone.z) return 1.0;
  float share = u_tone.x == 0.0 ? log(calls) / log(u_tone.z) : calls / u_tone.z;
  return u_tone.y + (1.0 - u_tone.y) * share;
}

void main() {
  vec2 at = (pixel() / u_ratio - u_move.zw) / u_move.xy;
  ivec2 size = textureSize(u_cells, 0);
  ivec2 cell = clamp(ivec2(floor((at - u_area.xy) / u_area.zw * vec2(size))), ivec2(0), size - 1);
  float alpha = opacity(texelFetch(u_cells, cell, 0).r);
  o_colour = vec4(texelFetch(u_strength, cell, 0).rgb * alpha, alpha);
}`,
};

export const RASTER = {
  vertex: `${VERTEX}
uniform vec4 u_area;   // x, y, width, height of the scene's plot; CSS pixels of the scene
void main() { put(moved(u_area.xy + corner() * u_area.zw) * u_ratio); }`,
  fragment: `${FRAGMENT}
uniform vec4 u_area;
uniform sampler2D u_palette;
uniform usampler2D u_cells;
uniform sampler2D u_strength;
void main() {
  vec2 at = (pixel() / u_ratio - u_move.zw) / u_move.xy;
  ivec2 size = textureSize(u_cells, 0);
  ivec2 cell = clamp(ivec2(floor((at - u_area.xy) / u_area.zw * vec2(size))), ivec2(0), size - 1);
  float strength = texelFetch(u_strength, cell, 0).r;
  uint id = texelFetch(u_cells, cell, 0).r;
  vec4 colour = texelFetch(u_palette, ivec2(id & 255u, id >> 8u), 0);
  float alpha = colour.a * strength;
  o_colour = vec4(colour.rgb * alpha, alpha);
}`,
};
