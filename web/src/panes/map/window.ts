import { signal } from '@preact/signals';
import type { Axis } from '../../lib/axis';

/** The stretch of the axis that the map shows, for the strip to mark; `null` where it shows all. */
export const mapWindow = signal<readonly [number, number] | null>(null);

/** A scale of the map: from bytes to a line of units, and back. It keeps its order, so it can be turned around. */
export interface Scale {
  to(v: number): number;
  from(u: number): number;
}

export const linear: Scale = { to: (v) => v, from: (u) => u };

/** Logarithmic from the first byte: the head, a thousandth of a file, gets half of the width. */
const knee = 256;
export const logarithmic: Scale = {
  to: (v) => Math.log1p(v / knee),
  from: (u) => Math.expm1(u) * knee,
};

/** Keeps a window in `0..whole`, at its width where that is possible. */
export function clampWindow([a, b]: readonly [number, number], whole: number, least: number): [number, number] {
  const width = Math.min(Math.max(b - a, least), whole);
  const middle = (a + b) / 2;
  const from = Math.min(Math.max(middle - width / 2, 0), whole - width);
  return [from, from + width];
}

/** Zooms around a point that stays where it is. */
export function zoomWindow([a, b]: readonly [number, number], at: number, factor: number): [number, number] {
  return [at - (at - a) * factor, at + (b - at) * factor];
}

/** A mark of the ruler: where it is on the axis, and what it says, which counts from the begin of its file. */
export interface Mark {
  v: number;
  at: number;
  file: number;
}

/** Marks of every file that is seen. */
export function marks(axis: Axis, scale: Scale, [a, b]: readonly [number, number], width: number, room: number): Mark[] {
  const out: Mark[] = [];
  for (const part of axis.parts) {
    const from = Math.max(a, scale.to(part.base));
    const to = Math.min(b, scale.to(part.base + part.size));
    if (to <= from) continue;
    const own: Scale = { to: (v) => scale.to(v + part.base), from: (u) => scale.from(u) - part.base };
    for (const at of ticks(own, scale === linear, [from, to], ((to - from) / (b - a)) * width, room)) {
      out.push({ v: part.base + at, at, file: part.file });
    }
  }
  return out;
}

/** Positions for the marks of a ruler: powers of two and their multiples, so that they read well in hex. */
export function ticks(scale: Scale, even: boolean, [a, b]: readonly [number, number], width: number, room: number): number[] {
  const begin = scale.from(a);
  const v0 = begin < 0.5 ? 0 : begin;
  const v1 = scale.from(b);
  const per = (b - a) / width;
  if (even) {
    let step = 1;
    while (step / per < room) step *= 2;
    const out = [];
    for (let v = Math.ceil(v0 / step) * step; v <= v1; v += step) out.push(v);
    return out;
  }
  const out: number[] = [];
  let last = -Infinity;
  const put = (v: number) => {
    const x = (scale.to(v) - a) / per;
    if (v >= v0 && v <= v1 && x - last >= room) {
      out.push(v);
      last = x;
    }
  };
  // Near one position a logarithm is nearly straight: steps of the size that fits there.
  let v = v0;
  while (v <= v1 && out.length < 200) {
    const slope = (scale.to(v + 1) - scale.to(v)) / per;
    let step = 1;
    while (step * slope < room) step *= 2;
    const next = Math.floor(v / step) * step + step;
    if (out.length === 0 && v === 0) put(0);
    put(next);
    v = next;
  }
  return out;
}
