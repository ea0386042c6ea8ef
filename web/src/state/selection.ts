import { signal } from '@preact/signals';
import type { Place } from '../backend/questions';

/** What is looked at. A place in bytes is all that the panes share: each finds what lies there. */
export interface Spot extends Place {
  /** Path of a field, where the selection is one: `kv[3].key.length`. */
  path?: string;
}

export const selected = signal<Spot | null>(null);
/** What an address names and nothing here is. */
export type Lost = { what: 'key' | 'tensor'; name: string } | { what: 'place'; file: number; at: number } | { what: 'file' };
export const lost = signal<Lost | null>(null);
/** What is under the pointer or the keyboard's cursor. */
export const hovered = signal<Spot | null>(null);

export function same(a: Place | null, b: Place | null): boolean {
  return a === b || (a !== null && b !== null && a.file === b.file && a.start === b.start && a.end === b.end);
}

export function select(spot: Spot | null): void {
  if (spot !== null) lost.value = null;
  if (!same(spot, selected.peek()) || spot?.path !== selected.peek()?.path) selected.value = spot;
}

export function hover(spot: Spot | null): void {
  if (!same(spot, hovered.peek())) hovered.value = spot;
}
