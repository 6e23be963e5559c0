/**
 * Shaders of solids. Vertices have no attributes: each knows its number, and by it the solid and the corner, and fetches the
 * rest from a texture, because that is much faster than instances on software rasterisers. A tube or a sphere is one
 * rectangle that faces the eye; of a box only the three sides that the eye can see are drawn.
 *
 * A solid takes two texels: x, y, z of its middle or of one end, and its radius; then lengths or the other end, and its colour.
 */

/** Texels in a row. */
export const ROW = 2048;
/** Colours in a row of the palette. */
export const PALETTE_ROW = 256;

/** Vertices of a solid. */
export const VERTICES = { boxes: 18, spheres: 6, tubes: 6 } as const;

/** How bright the sides of a box are, as in figures. */
const SHADES = "vec3(0.88, 0.74, 1.0)";

const COMMON = `
precision highp float;
precision highp int;
uniform highp sampler2D solids;
uniform mediump sampler2D palette;
uniform vec3 eye, right, up, forward;
/** Pixels of one unit that is one unit away, and those of the picture. */
uniform vec3 focal;
uniform vec2 range;
/** What solids do now, where something moves: how much, and whether that is known; and its colours. */
uniform mediump sampler2D heat;
uniform mediump sampler2D ramp;
uniform float hot;
uniform vec3 paper;
out vec4 ink;
out vec2 inside;

vec4 texel(int at) {
  return texelFetch(solids, ivec2(at % ${ROW}, at / ${ROW}), 0);
}
vec4 colour(float at) {
  int id = int(at + 0.5);
  return texelFetch(palette, ivec2(id % ${PALETTE_ROW}, id / ${PALETTE_ROW}), 0);
}
vec4 heated(vec4 own, int solid) {
  if (hot < 0.5) return own;
  vec4 now = texelFetch(heat, ivec2(solid % ${ROW}, solid / ${ROW}), 0);
  if (now.g < 0.25) return own;
  if (now.g < 0.75) return vec4(mix(paper, own.rgb, 0.35 + 0.65 * now.r), own.a);
  return vec4(texelFetch(ramp, ivec2(int(now.r * 255.0 + 0.5), 0), 0).rgb, own.a);
}
float depthOf(vec3 at) {
  return dot(at - eye, forward);
}
vec4 seen(vec3 at) {
  vec3 from = at - eye;
  float depth = dot(from, forward);
  float z = (range.y + range.x) / (range.y - range.x) * depth - 2.0 * range.y * range.x / (range.y - range.x);
  return vec4(dot(from, right) * 2.0 * focal.x / focal.y, dot(from, up) * 2.0 * focal.x / focal.z, z, depth);
}
/** Corners of two triangles, from -1 to 1. */
vec2 corner(int at) {
  return vec2(at == 1 || at == 2 || at == 4 ? 1.0 : -1.0, at == 2 || at == 4 || at == 5 ? 1.0 : -1.0);
}
`;

const BOXES = `${COMMON}
void main() {
  int solid = gl_VertexID / ${VERTICES.boxes}, at = gl_VertexID % ${VERTICES.boxes};
  vec4 middle = texel(2 * solid), extent = texel(2 * solid + 1);
  int side = at / 6;
  vec2 c = corner(at % 6);
  vec3 half_ = extent.xyz / 2.0, place = middle.xyz;
  vec3 towards = eye - middle.xyz;
  float facing = towards[side] < 0.0 ? -1.0 : 1.0;
  place[side] += half_[side] * facing;
  place[(side + 1) % 3] += half_[(side + 1) % 3] * c.x;
  place[(side + 2) % 3] += half_[(side + 2) % 3] * c.y;
  // A side that is seen from its edge, or from within, is none.
  if (abs(towards[side]) <= half_[side]) place = middle.xyz;
  gl_Position = seen(place);
  ink = heated(colour(extent.w), solid);
  ink.rgb *= ${SHADES}[side];
  inside = vec2(0.0);
}`;

const SPHERES = `${COMMON}
void main() {
  int solid = gl_VertexID / ${VERTICES.spheres};
  vec4 middle = texel(2 * solid), rest = texel(2 * solid + 1);
  vec2 c = corner(gl_VertexID % ${VERTICES.spheres});
  float reach = max(middle.w, 0.8 * depthOf(middle.xyz) / focal.x);
  gl_Position = seen(middle.xyz + (right * c.x + up * c.y) * reach);
  ink = heated(colour(rest.w), solid);
  inside = c;
}`;

const TUBES = `${COMMON}
void main() {
  int solid = gl_VertexID / ${VERTICES.tubes};
  vec4 from = texel(2 * solid), to = texel(2 * solid + 1);
  vec2 c = corner(gl_VertexID % ${VERTICES.tubes});
  vec3 end = c.x < 0.0 ? from.xyz : to.xyz, other = c.x < 0.0 ? to.xyz : from.xyz;
  // What is behind the eye is cut off.
  float depth = depthOf(end), far = depthOf(other), least = range.x * 1.01;
  if (depth < least && far > least) {
    end = mix(end, other, (least - depth) / (far - depth));
    depth = least;
  }
  vec3 aside = cross(to.xyz - from.xyz, (from.xyz + to.xyz) / 2.0 - eye);
  float length_ = length(aside);
  aside = length_ > 1e-6 ? aside / length_ : right;
  float reach = max(from.w, 0.5 * depth / focal.x);
  gl_Position = seen(end + aside * c.y * reach);
  ink = heated(colour(to.w), solid);
  inside = vec2(reach * focal.x / depth > 1.5 ? c.y : 0.0, 2.0);
}`;

/** `inside` is where in a sphere; of a tube, how far from its middle line. */
export const FRAGMENT = `
precision highp float;
in vec4 ink;
in vec2 inside;
out vec4 pixel;
void main() {
  float bright = 1.0;
  if (inside.y > 1.5) {
    bright = 0.8 + 0.2 * sqrt(max(0.0, 1.0 - inside.x * inside.x));
  } else {
    float apart = dot(inside, inside);
    if (apart > 1.0) discard;
    bright = apart > 0.0 ? 0.75 + 0.25 * sqrt(1.0 - apart) : 1.0;
  }
  pixel = vec4(ink.rgb * bright * ink.a, ink.a);
}`;

export const VERTEX = { boxes: BOXES, spheres: SPHERES, tubes: TUBES } as const;
