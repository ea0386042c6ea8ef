import { useEffect, useState } from 'preact/hooks';
import type { Entry, Lang, TensorRow } from './questions';
import { ask } from './answers';

/** Lists that come in pages, put together: metadata and tensors of a model. */

export interface Listed<R> {
  rows: readonly R[];
  total: number | null;
  error: unknown;
  retry(): void;
}

const known = new Map<string, readonly unknown[]>();

function useList<R>(key: string | null, page: (from: number) => Promise<{ total: number; rows: R[] }>): Listed<R> {
  const [state, set] = useState<{ key: string | null; rows: readonly R[]; total: number | null; error: unknown }>({ key: null, rows: [], total: null, error: null });
  const [round, again] = useState(0);
  useEffect(() => {
    if (key === null || known.has(key)) return;
    let live = true;
    void (async () => {
      let rows: R[] = [];
      try {
        for (;;) {
          const answer = await page(rows.length);
          rows = rows.concat(answer.rows);
          if (!live) return;
          const done = rows.length >= answer.total || answer.rows.length === 0;
          if (done) known.set(key, rows);
          set({ key, rows, total: answer.total, error: null });
          if (done) return;
        }
      } catch (error) {
        if (live) set({ key, rows, total: rows.length || null, error });
      }
    })();
    return () => {
      live = false;
    };
  }, [key, round]);
  const whole = key === null ? undefined : (known.get(key) as readonly R[] | undefined);
  const mine = state.key === key;
  return {
    rows: whole ?? (mine ? state.rows : []),
    total: whole?.length ?? (mine ? state.total : null),
    error: mine ? state.error : null,
    retry: () => again(round + 1),
  };
}

export function useEntries(model: number | null, lang: Lang): Listed<Entry> {
  return useList(model === null ? null : `metadata ${model} ${lang}`, async (from) => {
    const answer = await ask('metadata', { model: model ?? 0, lang, from });
    return { total: answer.total, rows: answer.entries };
  });
}

export function useTensors(model: number | null): Listed<TensorRow> {
  return useList(model === null ? null : `tensors ${model}`, async (from) => {
    const answer = await ask('tensors', { model: model ?? 0, from });
    return { total: answer.total, rows: answer.tensors };
  });
}
