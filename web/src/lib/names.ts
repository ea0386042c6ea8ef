/**
 * What tells names of one set apart: `…00001-of-00003.gguf` of `Llama-00001-of-00003.gguf` and its like. A name stays whole where
 * the beginning that all have is short.
 */
export function ownNames(names: readonly string[]): string[] {
  const [first = '', ...others] = names;
  let same = others.length === 0 ? 0 : first.length;
  for (const name of others) {
    let n = 0;
    while (n < same && name[n] === first[n]) n++;
    same = n;
  }
  // Numbers and words stay whole.
  while (same > 0 && /[\p{L}\p{N}]/u.test(first[same - 1] ?? '')) same--;
  return same < 6 ? [...names] : names.map((name) => '…' + name.slice(same));
}
