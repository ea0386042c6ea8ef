import type { Big, CacheKind } from '../backend/questions';

/** Bytes that one kind of layers keeps for `n` tokens: `layers × min(n, window) × (k + v) × bits / 8 + fixed`. */
export function cacheBytes(kind: CacheKind, n: number, kBits: number, vBits: number): number {
  return (Number(kind.layers) * kept(kind, n) * (Number(kind.k_row) * kBits + Number(kind.v_row) * vBits)) / 8 + Number(kind.fixed);
}

/** Of `n` tokens, those that are kept. */
export function kept(kind: CacheKind, n: number): number {
  return kind.window === null ? n : Math.min(n, Number(kind.window));
}

export function totalCache(kinds: readonly CacheKind[], n: number, kBits: number, vBits: number): number {
  return kinds.reduce((sum, kind) => sum + cacheBytes(kind, n, kBits, vBits), 0);
}

/** Contexts that a slider offers: powers of two from 512, and the trained one. */
export function contexts(trained: Big | null): number[] {
  const own = trained === null ? 0 : Number(trained);
  const top = Math.max(own, 8192) * 4;
  const out = new Set<number>();
  for (let n = 512; n <= Math.min(top, 2 ** 24); n *= 2) out.add(n);
  // A file may claim any number; a context of more than 2^53 tokens is none.
  if (own > 0 && Number.isSafeInteger(own)) out.add(own);
  return [...out].sort((a, b) => a - b);
}
