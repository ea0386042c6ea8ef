/**
 * What tells names of one set apart: `…00001…` of `Llama-00001-of-00003.gguf` and its like. Where the beginning that all have is
 * short, they stay as they are.
 */
export function ownNames(names: readonly string[]): string[] {
  if (names.length < 2) return [...names];
  const front = alike(names);
  if (front < 6) return [...names];
  const back = alike(names.map((name) => [...name.slice(front)].reverse().join('')));
  return names.map((name) => `…${name.slice(front, name.length - back)}${back > 0 ? '…' : ''}`);
}

/** How far names begin alike; numbers and words stay whole. */
function alike(names: readonly string[]): number {
  const [first = ''] = names;
  let same = Math.min(...names.map((name) => name.length));
  for (const name of names) {
    let n = 0;
    while (n < same && name[n] === first[n]) n++;
    same = n;
  }
  while (same > 0 && /[\p{L}\p{N}]/u.test(first[same - 1] ?? '')) same--;
  return same;
}
