/** Where an arrow key goes in a row of things: by how many, to the first or to the last; `undefined` for any other key. */
export function stepOf(key: string, upAndDown = false): number | undefined {
  const upright = upAndDown ? { ArrowUp: -1, ArrowDown: 1 }[key] : undefined;
  return upright ?? { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[key];
}
