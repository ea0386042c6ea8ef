import type { FileHead, FileMap, Region } from '../backend/questions';

/** The files of a model laid end to end: one line of bytes, on which the strip and the map are drawn. */
export interface Axis {
  parts: { file: number; base: number; size: number; dataStart: number }[];
  total: number;
}

export function makeAxis(files: readonly FileHead[]): Axis {
  let base = 0;
  const parts = files.map((f) => {
    const part = { file: f.file, base, size: f.size, dataStart: Math.min(f.data_start ?? f.head_end ?? f.size, f.size) };
    base += f.size;
    return part;
  });
  return { parts, total: base };
}

export function toAxis(axis: Axis, file: number, at: number): number | null {
  const part = axis.parts.find((p) => p.file === file);
  return part ? part.base + Math.min(at, part.size) : null;
}

export function fromAxis(axis: Axis, v: number): { file: number; at: number } | null {
  let lo = 0;
  let hi = axis.parts.length - 1;
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1;
    if ((axis.parts[mid]?.base ?? Infinity) <= v) lo = mid;
    else hi = mid - 1;
  }
  const part = axis.parts[lo];
  if (!part || part.size === 0) return null;
  return { file: part.file, at: Math.min(Math.max(0, Math.floor(v - part.base)), part.size - 1) };
}

/** Index of the region that holds a position; -1 where there is none. */
export function regionIndex(regions: readonly Region[], at: number): number {
  let lo = 0;
  let hi = regions.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if ((regions[mid]?.end ?? Infinity) <= at) lo = mid + 1;
    else hi = mid;
  }
  const hit = regions[lo];
  return hit && hit.start <= at ? lo : -1;
}

export function regionAt(map: FileMap | undefined, at: number): Region | null {
  return map?.regions[regionIndex(map.regions, at)] ?? null;
}

/** A stretch of the axis drawn between two positions of the screen. */
export interface Segment {
  v0: number;
  v1: number;
  x0: number;
  x1: number;
}

/**
 * The strip's scale: the heads, which are a thousandth of a file and most of what there is to read, get a share of the width that
 * can be seen; the data gets the rest, to scale.
 */
export function stripSegments(axis: Axis, width: number): Segment[] {
  const heads = axis.parts.reduce((n, p) => n + p.dataStart, 0);
  const data = axis.total - heads;
  if (axis.total <= 0) return [];
  const part = data === 0 ? 1 : heads === 0 ? 0 : Math.max(heads / axis.total, axis.parts.length > 4 ? 0.2 : 0.3);
  const out: Segment[] = [];
  let x = 0;
  const push = (v0: number, v1: number, w: number) => {
    if (v1 > v0) out.push({ v0, v1, x0: x, x1: (x += w) });
  };
  for (const p of axis.parts) {
    push(p.base, p.base + p.dataStart, heads ? (p.dataStart / heads) * part * width : 0);
    push(p.base + p.dataStart, p.base + p.size, data ? ((p.size - p.dataStart) / data) * (1 - part) * width : 0);
  }
  return out;
}

export function segmentX(segments: readonly Segment[], v: number): number {
  for (const s of segments) if (v < s.v1) return s.x0 + ((Math.max(v, s.v0) - s.v0) / (s.v1 - s.v0)) * (s.x1 - s.x0);
  return segments.at(-1)?.x1 ?? 0;
}

export function segmentV(segments: readonly Segment[], x: number): number {
  for (const s of segments) if (x < s.x1) return s.v0 + ((Math.max(x, s.x0) - s.x0) / (s.x1 - s.x0)) * (s.v1 - s.v0);
  return segments.at(-1)?.v1 ?? 0;
}
