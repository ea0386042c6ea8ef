import type { CacheKind } from '../backend/questions';

/** Bytes that one kind of layers keeps for `n` tokens: `layers × min(n, window) × (k + v) × bits / 8 + fixed`. */
export function cacheBytes(kind: CacheKind, n: number, kBits: number, vBits: number): number {
  const kept = kind.window == null ? n : Math.min(n, kind.window);
  return (kind.layers * kept * (kind.k_row * kBits + kind.v_row * vBits)) / 8 + kind.fixed;
}

export function totalCache(kinds: readonly CacheKind[], n: number, kBits: number, vBits: number): number {
  return kinds.reduce((sum, kind) => sum + cacheBytes(kind, n, kBits, vBits), 0);
}

/** Contexts that a slider offers: powers of two from 512, and the trained one. */
export function contexts(trained: number | null): number[] {
  const top = Math.max(trained ?? 0, 8192) * 4;
  const out = new Set<number>();
  for (let n = 512; n <= Math.min(top, 2 ** 24); n *= 2) out.add(n);
  if (trained != null && trained > 0) out.add(trained);
  return [...out].sort((a, b) => a - b);
}
