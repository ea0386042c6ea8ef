import { signal } from '@preact/signals';
import { ask, askOnce } from '../../backend/answers';
import { Refused } from '../../backend/http';
import type { Compared, Questions, Said } from '../../backend/questions';

/** A comparison of weights goes on while other panes are looked at; one runs at a time. */
export interface Run {
  a: number;
  b: number;
  pairs: Questions['pairs']['answer'] | null;
  results: (Compared | { name: string; error: Said | null })[];
  bytes: number;
  state: 'idle' | 'running' | 'stopped' | 'done' | 'failed';
  error: unknown;
}

const none: Run = { a: -1, b: -1, pairs: null, results: [], bytes: 0, state: 'idle', error: null };
export const run = signal<Run>(none);
let stopper: AbortController | null = null;

export async function prepare(a: number, b: number): Promise<void> {
  if (run.value.a === a && run.value.b === b && run.value.state !== 'failed') return;
  stop();
  run.value = { ...none, a, b };
  try {
    const pairs = await ask('pairs', { a, b });
    if (run.value.a === a && run.value.b === b) run.value = { ...run.value, pairs };
  } catch (error) {
    run.value = { ...run.value, state: 'failed', error };
  }
}

export function stop(): void {
  stopper?.abort();
  stopper = null;
  if (run.value.state === 'running') run.value = { ...run.value, state: 'stopped' };
}

/** Compares what is left, one tensor at a time. */
export async function begin(): Promise<void> {
  const { a, b, pairs } = run.value;
  if (!pairs || run.value.state === 'running') return;
  const mine = new AbortController();
  stopper = mine;
  run.value = { ...run.value, state: 'running' };
  for (const pair of pairs.pairs.slice(run.value.results.length)) {
    let result: Compared | { name: string; error: Said | null };
    try {
      result = await askOnce('compare', { a, b, name: pair.name }, mine.signal);
    } catch (error) {
      if (mine.signal.aborted) return;
      result = { name: pair.name, error: error instanceof Refused ? { en: error.message, zh: error.zh } : null };
    }
    if (mine.signal.aborted) return;
    run.value = { ...run.value, results: [...run.value.results, result], bytes: run.value.bytes + Number(pair.bytes) };
  }
  stopper = null;
  run.value = { ...run.value, state: 'done' };
}
