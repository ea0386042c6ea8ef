import type { Big, Sizing } from '../backend/questions';
import { lang } from '../state/prefs';

/** How numbers are written: positions in hex, counts in decimal with groups, sizes with a unit. */

const whole = { en: new Intl.NumberFormat('en'), zh: new Intl.NumberFormat('zh-CN') };

export function count(n: Big): string {
  return typeof n === 'number' ? whole[lang.value].format(n) : /^-?\d+$/.test(n) ? whole[lang.value].format(BigInt(n)) : n;
}

/** `0x1f4`, at least four digits, so that columns line up. */
export function hex(n: number, digits = 4): string {
  return '0x' + n.toString(16).padStart(digits, '0');
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** `29 B`, `11.2 KiB`, `3.91 GiB`: three significant digits. */
export function size(bytes: Big | null): string {
  if (bytes === null || !Number.isFinite(Number(bytes))) return '–';
  let n = Number(bytes);
  let unit = 0;
  while (n >= 1024 && unit < units.length - 1) {
    n /= 1024;
    unit++;
  }
  if (unit === 0) return `${count(n)} B`;
  let text = n.toFixed(n >= 100 ? 0 : n >= 10 ? 1 : 2);
  if (Number(text) >= 1024 && unit < units.length - 1) text = ((unit++, 1)).toFixed(2);
  return `${text} ${units[unit]}`;
}

/** A size as far as it is known. */
export function sized(bytes: Big | null, sizing: Sizing): string {
  return sizing === 'unknown' ? '–' : sizing === 'inferred' ? `≤ ${size(bytes)}` : size(bytes);
}

/** `591 K`, `7.24 B`: elements, parameters. */
export function short(of: Big): string {
  const n = Number(of);
  if (n >= 1e15) return n.toExponential(2);
  const steps: [number, string][] = [[1e12, ' T'], [1e9, ' B'], [1e6, ' M'], [1e3, ' K']];
  for (const [step, suffix] of steps) {
    if (n >= step) {
      const m = n / step;
      return m.toFixed(m >= 100 ? 0 : m >= 10 ? 1 : 2) + suffix;
    }
  }
  return count(n);
}

/** A share of a whole as per cent; small ones are not rounded to none. */
export function share(part: number, of: number): string {
  if (of <= 0) return '–';
  const p = (part / of) * 100;
  if (p === 0) return '0 %';
  if (p < 0.01) return '< 0.01 %';
  return `${p.toFixed(p >= 10 ? 1 : 2)} %`;
}

/** A value of a weight or a measure of one: enough digits to tell values apart, no more. */
export function num(n: number | string | null | undefined, digits = 5): string {
  if (n == null) return '–';
  if (typeof n === 'string') return { Infinity: '∞', '-Infinity': '−∞' }[n] ?? n;
  if (!Number.isFinite(n)) return Number.isNaN(n) ? 'NaN' : n > 0 ? '∞' : '−∞';
  if (n === 0) return '0';
  const a = Math.abs(n);
  if (Number.isInteger(n) && a < 1e15) return count(n).replace('-', '−');
  const text = a >= 1e6 || a < 1e-4 ? Number(n.toPrecision(Math.max(2, digits - 1))).toExponential() : String(Number(n.toPrecision(digits)));
  return text.replace('-', '−').replace('e−', 'e-');
}

export function shape(dims: readonly Big[]): string {
  return dims.length === 0 ? '1' : dims.join(' × ');
}

/** A position that a person types or a link carries: `500`, `0x1f4`. */
export function parsePosition(text: string): number | null {
  const t = text.trim().replace(/[_,\s]/g, '');
  const n = /^0x[0-9a-f]+$/i.test(t) ? parseInt(t.slice(2), 16) : /^\d+$/.test(t) ? Number(t) : NaN;
  return Number.isSafeInteger(n) ? n : null;
}
