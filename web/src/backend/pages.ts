import { useEffect, useState } from 'preact/hooks';
import { ask, peek } from './answers';
import type { Element, Lang, Questions, Step, Token } from './questions';

/** Rows of a list that is too long to have whole: asked for in pages as they come into view. */
export const pageSize = 256;

interface Paged<R> {
  total: number | null;
  row: (index: number) => R | undefined;
  error: unknown;
}

function usePaged<R>(key: string | null, page: (from: number) => Promise<unknown>, here: (from: number) => { total: number; rows: R[] } | undefined): Paged<R> {
  const [state, set] = useState<{ round: number; error: unknown }>({ round: 0, error: null });
  const [asked] = useState(() => new Set<string>());
  useEffect(() => {
    asked.clear();
    if (key !== null) want(0);
  }, [key]);
  const want = (from: number) => {
    const name = `${key} ${from}`;
    if (asked.has(name)) return;
    asked.add(name);
    page(from).then(
      () => set((s) => ({ round: s.round + 1, error: null })),
      (error: unknown) => {
        asked.delete(name);
        set((s) => ({ round: s.round + 1, error }));
      },
    );
  };
  const first = key === null ? undefined : here(0);
  return {
    total: first?.total ?? null,
    error: state.error,
    row: (index) => {
      if (index < 0 || (first && index >= first.total)) return undefined;
      const from = Math.floor(index / pageSize) * pageSize;
      const found = here(from);
      if (!found) {
        // Rows are drawn while the list is laid out: asking waits until that is done.
        if (!asked.has(`${key} ${from}`)) setTimeout(() => want(from), 30);
        return undefined;
      }
      return found.rows[index - from];
    },
  };
}

export function useTokens(query: Omit<Questions['tokens']['query'], 'from' | 'count'> | null): Paged<Token> & { types: { type: string; count: number }[]; matched: number | null } {
  const of = (from: number) => ({ ...(query ?? { model: 0 }), from, count: pageSize });
  const paged = usePaged<Token>(
    query ? JSON.stringify(query) : null,
    (from) => ask('tokens', of(from)),
    (from) => {
      const answer = peek('tokens', of(from));
      return answer && { total: answer.matched, rows: answer.tokens };
    },
  );
  const first = query ? peek('tokens', of(0)) : undefined;
  return { ...paged, total: first?.total ?? null, types: first?.types ?? [], matched: first?.matched ?? null };
}

export function useElements(query: Omit<Questions['elements']['query'], 'from' | 'count'> | null): Paged<Element> {
  const of = (from: number) => ({ ...(query ?? { file: 0, kv: 0 }), from, count: pageSize });
  return usePaged<Element>(
    query ? JSON.stringify(query) : null,
    (from) => ask('elements', of(from)),
    (from) => {
      const answer = peek('elements', of(from));
      return answer && { total: Number(answer.total), rows: answer.elements };
    },
  );
}

export function useSteps(file: number | null, lang: Lang): Paged<Step> {
  // Steps count from 1.
  const of = (from: number) => ({ file: file ?? 0, lang, from: from + 1, count: pageSize });
  return usePaged<Step>(
    file === null ? null : `${file} ${lang}`,
    (from) => ask('steps', of(from)),
    (from) => {
      const answer = peek('steps', of(from));
      return answer && { total: answer.total, rows: answer.steps };
    },
  );
}
