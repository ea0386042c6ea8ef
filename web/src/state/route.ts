import { batch, effect, signal } from '@preact/signals';
import { parsePosition } from '../lib/format';
import { lost, selected, select } from './selection';

/** The address: `#/bytes?file=0&at=0x1f4&n=8`. It names the pane, what is selected, and the pane's own view. */

export const panes = ['map', 'tag', 'bytes', 'walk', 'load', 'tensors', 'check', 'compare'] as const;
export type Pane = (typeof panes)[number];

export const pane = signal<Pane>('map');
/** What belongs to the pane alone: its sub-view, a tensor's view. */
export const view = signal<Readonly<Record<string, string>>>({});
/** Names that an address asks for and that only the answers can place: a key, a tensor. */
export const wanted = signal<{ key?: string; tensor?: string } | null>(null);

/** The place that an address asked for, until it was looked whether there is one. */
export const askedPlace = signal<Route['place']>(null);

export interface Route {
  pane: Pane;
  place: { file: number; start: number; end: number } | null;
  view: Record<string, string>;
  wanted: { key?: string; tensor?: string } | null;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const params = new URLSearchParams(query);
  const named = panes.find((p) => p === path) ?? 'map';
  const at = parsePosition(params.get('at') ?? '');
  const n = parsePosition(params.get('n') ?? '') ?? 1;
  const file = parsePosition(params.get('file') ?? '0') ?? 0;
  const key = params.get('key');
  const tensor = params.get('tensor');
  const rest: Record<string, string> = {};
  for (const [k, v] of params) if (!['at', 'n', 'file', 'key', 'tensor'].includes(k)) rest[k] = v;
  return {
    pane: named,
    place: at === null ? null : { file, start: at, end: at + Math.max(1, n) },
    view: rest,
    wanted: key !== null ? { key } : tensor !== null ? { tensor } : null,
  };
}

export function formatRoute(to: Pick<Route, 'pane' | 'place' | 'view'>): string {
  const parts: string[] = [];
  if (to.place) {
    parts.push(`file=${to.place.file}`, `at=0x${to.place.start.toString(16)}`);
    if (to.place.end - to.place.start > 1) parts.push(`n=${to.place.end - to.place.start}`);
  }
  for (const [k, v] of Object.entries(to.view)) parts.push(`${k}=${encodeURIComponent(v)}`);
  return `#/${to.pane}${parts.length ? `?${parts.join('&')}` : ''}`;
}

export function go(to: Pane, and: Record<string, string> = {}): void {
  batch(() => {
    pane.value = to;
    view.value = and;
  });
}

export function setView(change: Record<string, string | null>): void {
  const next: Record<string, string> = {};
  for (const [k, v] of Object.entries({ ...view.value, ...change })) if (v !== null) next[k] = v;
  view.value = next;
}

function apply(): void {
  // A token is no way within the page: what holds it is opened anew, and history must not be written before.
  if (holdsToken()) return;
  // Two events tell of one change, and before the second what was not there may have left the address: it stays told of.
  if (location.hash === formatRoute({ pane: pane.peek(), place: selected.peek(), view: view.peek() })) return;
  const route = parseRoute(location.hash);
  batch(() => {
    pane.value = route.pane;
    view.value = route.view;
    lost.value = null;
    askedPlace.value = route.place;
    if (route.place) select(route.place);
    wanted.value = route.wanted;
  });
}

const holdsToken = () => /[#&]token=/.test(location.hash);

/** Keeps address and state in step: a pane is a step of the history, a selection is not. */
export function watchRoute(): void {
  apply();
  let last: Pane | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const hash = formatRoute({ pane: pane.value, place: selected.value, view: view.value });
    if (wanted.value) return;
    clearTimeout(timer);
    if (hash === location.hash) {
      last = pane.peek();
      return;
    }
    if (last !== null && last !== pane.peek()) {
      history.pushState(null, '', hash);
      last = pane.peek();
    } else {
      last = pane.peek();
      // Browsers refuse an address that changes with every move of the pointer.
      timer = setTimeout(() => history.replaceState(null, '', hash), 150);
    }
  });
  addEventListener('popstate', apply);
  addEventListener('hashchange', () => {
    // The address of a server that was started again, opened in this tab.
    if (holdsToken()) location.reload();
    else apply();
  });
}
