/** Colours of a value between -1 and 1: cool below zero, warm above it, the ground at zero; what is not finite stands out. */
type Rgb = readonly [number, number, number];
const light: readonly Rgb[] = [[24, 72, 150], [110, 160, 214], [246, 246, 247], [236, 152, 92], [160, 58, 8]];
const dark: readonly Rgb[] = [[150, 200, 255], [56, 110, 180], [20, 26, 32], [176, 92, 34], [255, 196, 140]];

export function ramp(v: number, isDark: boolean, out: Uint8ClampedArray, at: number): void {
  const colours = isDark ? dark : light;
  if (!Number.isFinite(v)) {
    out.set([200, 0, 160, 255], at);
    return;
  }
  const p = (Math.min(1, Math.max(-1, v)) + 1) * 2;
  const i = Math.min(3, Math.floor(p));
  const f = p - i;
  const a = colours[i] ?? [0, 0, 0];
  const b = colours[i + 1] ?? [0, 0, 0];
  for (let k = 0; k < 3; k++) out[at + k] = (a[k] ?? 0) + ((b[k] ?? 0) - (a[k] ?? 0)) * f;
  out[at + 3] = 255;
}
