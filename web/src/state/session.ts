import { computed, effect, signal } from '@preact/signals';
import type { FileHead, FileMap, ModelHead, Place, Region, Session } from '../backend/questions';
import { ask } from '../backend/answers';
import { makeAxis, regionAt } from '../lib/axis';
import { lost, select, selected, type Lost } from './selection';
import { lang, offerLang } from './prefs';
import { askedPlace, wanted } from './route';

/** What is open, and the map of the model that is looked at: all panes go by it. */
export const session = signal<Session | null>(null);
export const failure = signal<unknown>(null);
const chosen = signal(0);
export const maps = signal<readonly FileMap[]>([]);

export const model = computed<ModelHead | null>(() => {
  const s = session.value;
  return s?.models.find((m) => m.model === chosen.value) ?? s?.models[0] ?? null;
});

export const files = computed<FileHead[]>(() => {
  const s = session.value;
  const m = model.value;
  return s && m ? m.files.flatMap((f) => s.files.find((x) => x.file === f) ?? []) : [];
});

export const axis = computed(() => makeAxis(files.value));

/** The file that is looked at: the selection's, or the first. */
export const file = computed<FileHead | null>(() => files.value.find((f) => f.file === selected.value?.file) ?? files.value[0] ?? null);

/** Whether all keys, or all tensors, of a model were read: what is not among them is absent. */
export function isWhole(index: number, records: 'keys' | 'tensors'): boolean {
  return session.value?.models.find((m) => m.model === index)?.read[records].state === 'whole';
}

export function fileHead(index: number): FileHead | null {
  return session.value?.files.find((f) => f.file === index) ?? null;
}

export function mapOf(index: number): FileMap | undefined {
  return maps.value.find((m) => m.file === index);
}

/** The region that holds a place. */
export function regionOf(place: { file: number; start: number } | null): Region | null {
  return place ? regionAt(mapOf(place.file), place.start) : null;
}

export const selectedRegion = computed(() => regionOf(selected.value));

/** Selects a whole region. */
export function selectRegion(index: number, region: Region): void {
  select({ file: index, start: region.start, end: region.end, path: region.path });
}

export async function chooseModel(index: number): Promise<void> {
  chosen.value = index;
  const m = model.value;
  if (!m) return;
  if (selected.value && !m.files.includes(selected.value.file)) select(null);
  try {
    const answer = await ask('map', { model: m.model });
    if (model.peek() === m) maps.value = answer.files;
    placeWanted();
  } catch (error) {
    failure.value = error;
  }
}

/** What of a place is not there: the file, or the byte that it begins with. The first byte of an empty file may be asked for. */
export function lostPlace(place: Place, all: readonly Pick<FileHead, 'file' | 'size'>[]): Lost | null {
  const head = all.find((f) => f.file === place.file);
  if (!head) return { what: 'file' };
  return place.start >= Math.max(1, head.size) ? { what: 'place', file: place.file, at: place.start } : null;
}

// A place that is not there is no selection, and is said to be none.
effect(() => {
  const place = askedPlace.value;
  const all = session.value?.files;
  if (!place || !all) return;
  askedPlace.value = null;
  const gone = lostPlace(place, all);
  const size = all.find((f) => f.file === place.file)?.size ?? 0;
  if (gone) {
    select(null);
    lost.value = gone;
  } else if (place.end > Math.max(1, size)) {
    select({ ...place, end: Math.max(1, size) });
  }
});

/** Finds the key or tensor that the address names. */
export function placeWanted(): void {
  const want = wanted.value;
  if (!want || maps.peek().length === 0) return;
  const kind = want.key !== undefined ? 'metadata' : 'tensor';
  const name = want.key ?? want.tensor;
  for (const map of maps.peek()) {
    const hit = map.regions.find((r) => r.kind === kind && r.name === name);
    if (hit && !hit.more) {
      selectRegion(map.file, hit);
      wanted.value = null;
      return;
    }
  }
  // Where many share a region, the lists know their names.
  void search(want).then((place) => {
    if (place) select(place);
    else if (place === null && wanted.peek() === want) lost.value = { what: kind === 'metadata' ? 'key' : 'tensor', name: name ?? '' };
    if (wanted.peek() === want) wanted.value = null;
  });
}

async function search(want: { key?: string; tensor?: string }): Promise<Place | null | undefined> {
  const m = model.peek()?.model ?? 0;
  try {
    for (let from = 0; ; ) {
      if (want.key !== undefined) {
        const answer = await ask('metadata', { model: m, lang: lang.peek(), from });
        const hit = answer.entries.find((e) => e.key === want.key);
        if (hit) return hit.span;
        from += answer.entries.length;
        if (from >= answer.total || answer.entries.length === 0) return null;
      } else {
        const answer = await ask('tensors', { model: m, from });
        const hit = answer.tensors.find((x) => x.name === want.tensor);
        if (hit) return hit.data && hit.data.end > hit.data.start ? hit.data : hit.info;
        from += answer.tensors.length;
        if (from >= answer.total || answer.tensors.length === 0) return null;
      }
    }
  } catch {
    // That it could not be looked for says nothing of it.
    return undefined;
  }
}

export async function open(): Promise<void> {
  failure.value = null;
  // The first model is nearly always the one: its map comes along with what is open.
  ask('map', { model: 0 }).catch(() => {});
  try {
    const answer = await ask('session', {});
    session.value = answer;
    if (answer.lang) offerLang(answer.lang);
    const at = selected.value;
    const holder = at ? answer.models.find((m) => m.files.includes(at.file)) : undefined;
    await chooseModel((holder ?? answer.models[0])?.model ?? 0);
  } catch (error) {
    failure.value = error;
  }
}
