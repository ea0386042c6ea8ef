import type { Big, Field, Region, RegionKind } from '../backend/questions';

/** One colour for each kind, the same in every pane. Names are custom properties of the style sheet, without their dashes. */
export function kindColour(kind: RegionKind): string {
  return `k-${kind}`;
}

/** Bits of a weight in the types that are met, for the scale of colours: few bits are light and warm, many are deep and cool. */
const bits: Record<string, number> = {
  F64: 64, I64: 64, F32: 32, I32: 32, F16: 16, BF16: 16, I16: 16, I8: 8, Q8_0: 8.5, Q8_1: 9, Q8_K: 9.125, Q6_K: 6.56, Q5_K: 5.5, Q5_0: 5.5,
  Q5_1: 6, Q4_K: 4.5, Q4_0: 4.5, Q4_1: 5, IQ4_NL: 4.5, IQ4_XS: 4.25, MXFP4: 4.25, NVFP4: 4.5, Q3_K: 3.44, IQ3_S: 3.44, IQ3_XXS: 3.06,
  Q2_K: 2.63, IQ2_S: 2.5, IQ2_XS: 2.31, IQ2_XXS: 2.06, IQ1_M: 1.75, IQ1_S: 1.56, TQ1_0: 1.69, TQ2_0: 2.06,
};

/** Class of a type by its bits: `t-32`, `t-16`, ... `t-1`, `t-x` for one that is not known. */
export function typeColour(type: string | undefined): string {
  const b = type === undefined ? undefined : bits[type];
  if (b === undefined) return 't-x';
  for (const [least, name] of [[20, 't-32'], [12, 't-16'], [7, 't-8'], [5.9, 't-6'], [4.9, 't-5'], [3.9, 't-4'], [2.9, 't-3'], [1.9, 't-2']] as const) {
    if (b >= least) return name;
  }
  return 't-1';
}

/** Layers go once around part of the circle of hues; they alternate a little in lightness, so that neighbours can be told apart. */
export function layerColour(layer: Big | null | undefined, layers: number, dark: boolean): string | null {
  if (layer == null) return null;
  const n = Number(layer);
  const hue = 190 + (layers <= 1 ? 0 : (n / (layers - 1)) * 130);
  const light = (dark ? 62 : 48) + (n % 2 ? 7 : 0);
  return `hsl(${hue.toFixed(0)} 42% ${light}%)`;
}

export type Colouring = 'kind' | 'layer' | 'type';

export function regionColour(r: Region, by: Colouring, layers: number, dark: boolean, palette: (name: string) => string): string {
  if (r.kind === 'tensor') {
    if (by === 'type') return palette(typeColour(r.type));
    if (by === 'layer') return layerColour(r.layer, layers, dark) ?? palette('k-tensor');
  }
  return palette(kindColour(r.kind));
}

/** Colours of fields: lengths and counts tell how far to read, types how to read, the rest is what is meant. */
export function fieldTone(f: Field): string {
  if (f.kind === 'length' || f.kind === 'count' || f.kind === 'dim') return 'f-length';
  if (f.kind === 'type' || f.kind === 'magic' || f.kind === 'version') return 'f-type';
  if (f.kind === 'key' || f.kind === 'name') return 'f-name';
  if (f.kind === 'padding') return 'f-none';
  if (f.kind === 'offset') return 'f-offset';
  return 'f-value';
}
