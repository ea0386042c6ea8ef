import { useEffect, useState } from 'preact/hooks';
import type { Backend, Name, Questions } from './questions';
import { HttpBackend, Refused, takeToken } from './http';
import { keyOf } from './key';
import { ReportBackend } from './report';

/** Answers that are kept: the page goes back and forth, and the file does not change under it. */
const keep = 240;

let backend: Backend | null = null;
const kept = new Map<string, Promise<unknown>>();
const settled = new Map<string, unknown>();

export function start(): void {
  const token = takeToken();
  backend = ReportBackend.find() ?? new HttpBackend(token);
}

export function ask<N extends Name>(name: N, query: Questions[N]['query']): Promise<Questions[N]['answer']> {
  const key = keyOf(name, query);
  const known = kept.get(key);
  if (known) {
    kept.delete(key);
    kept.set(key, known);
    return known as Promise<Questions[N]['answer']>;
  }
  if (!backend) start();
  const answer = (backend as Backend).ask(name, query);
  kept.set(key, answer);
  answer.then(
    (value) => settled.set(key, value),
    () => kept.delete(key),
  );
  while (kept.size > keep) {
    const oldest = kept.keys().next().value;
    if (oldest === undefined) break;
    kept.delete(oldest);
    settled.delete(oldest);
  }
  return answer;
}

/** A question that is not kept and can be stopped: comparisons, which take as long as the tensor is large. */
export function askOnce<N extends Name>(name: N, query: Questions[N]['query'], signal: AbortSignal): Promise<Questions[N]['answer']> {
  if (!backend) start();
  return (backend as Backend).ask(name, query, signal);
}

/** The answer if it is here already. */
export function peek<N extends Name>(name: N, query: Questions[N]['query']): Questions[N]['answer'] | undefined {
  return settled.get(keyOf(name, query)) as Questions[N]['answer'] | undefined;
}

export interface Answered<A> {
  data: A | undefined;
  error: Refused | null;
  busy: boolean;
  retry(): void;
}

/** An answer as a component sees it; no question where `query` is `null`. The last answer stays while the next is on its way. */
export function useAnswer<N extends Name>(name: N, query: Questions[N]['query'] | null): Answered<Questions[N]['answer']> {
  const key = query ? keyOf(name, query) : null;
  const [state, set] = useState<{ key: string | null; data?: Questions[N]['answer']; error: Refused | null }>({ key: null, error: null });
  const [round, retry] = useState(0);
  useEffect(() => {
    if (!query) return;
    let live = true;
    ask(name, query).then(
      (data) => live && set({ key, data, error: null }),
      (error: unknown) => live && set({ key, error: error instanceof Refused ? error : new Refused('io', String(error)) }),
    );
    return () => {
      live = false;
    };
  }, [key, round]);
  const now = query ? peek(name, query) : undefined;
  const mine = state.key === key;
  return {
    data: key === null ? undefined : (now ?? state.data),
    error: mine ? state.error : null,
    busy: key !== null && now === undefined && !(mine && state.error),
    retry: () => retry(round + 1),
  };
}
