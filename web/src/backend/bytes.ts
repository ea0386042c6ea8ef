import { useEffect, useState } from 'preact/hooks';
import type { Field, Lang } from './questions';
import { ask, peek } from './answers';
import { fromBase64 } from '../lib/base64';

/** Bytes are asked for in pieces of this size, so that scrolling and selecting ask for the same ones. */
export const piece = 4096;

export interface Stretch {
  start: number;
  end: number;
  data: Uint8Array;
  fields: Field[];
}

const decoded = new WeakMap<object, Stretch>();

function query(file: number, index: number, size: number, lang: Lang) {
  const start = index * piece;
  return { file, start, length: Math.min(piece, size - start), lang };
}

/** The piece with this number if it is here. */
export function pieceAt(file: number, index: number, size: number, lang: Lang): Stretch | undefined {
  const answer = peek('bytes', query(file, index, size, lang));
  if (!answer) return undefined;
  let stretch = decoded.get(answer);
  if (!stretch) {
    stretch = { start: answer.start, end: answer.end, data: fromBase64(answer.data), fields: answer.fields };
    decoded.set(answer, stretch);
  }
  return stretch;
}

/** Sees to it that the pieces of a span are here, and draws again when they come. `failed` says why they do not. */
export function usePieces(file: number, start: number, end: number, size: number, lang: Lang): { failed: unknown } {
  const first = Math.floor(start / piece);
  const last = Math.floor(Math.max(start, Math.min(end, size) - 1) / piece);
  const [state, set] = useState<{ round: number; failed: unknown }>({ round: 0, failed: null });
  let whole = true;
  for (let i = first; i <= last && i * piece < size; i++) whole &&= pieceAt(file, i, size, lang) !== undefined;
  useEffect(() => {
    if (whole) return;
    let live = true;
    // A drag of the scroll bar passes many pieces: only those it stays at for a moment are asked for.
    const wait = setTimeout(
      () => {
        for (let i = first; i <= last && i * piece < size; i++) {
          // What another part of the page has asked for meanwhile is drawn here, too.
          ask('bytes', query(file, i, size, lang)).then(
            () => live && set((s) => ({ round: s.round + 1, failed: null })),
            (failed: unknown) => live && set((s) => ({ round: s.round + 1, failed })),
          );
        }
      },
      pieceAt(file, first, size, lang) ? 0 : 40,
    );
    return () => {
      live = false;
      clearTimeout(wait);
    };
  }, [file, first, last, size, lang, whole]);
  return { failed: state.failed };
}

export function byteAt(file: number, at: number, size: number, lang: Lang): number | undefined {
  const stretch = pieceAt(file, Math.floor(at / piece), size, lang);
  return stretch?.data[at - stretch.start];
}

/** The innermost field at a position: fields are in order and do not overlap, but for blocks and their members. */
export function fieldAt(file: number, at: number, size: number, lang: Lang): Field | undefined {
  const stretch = pieceAt(file, Math.floor(at / piece), size, lang);
  if (!stretch) return undefined;
  const { fields } = stretch;
  let lo = 0;
  let hi = fields.length;
  while (lo < hi) {
    const mid = (lo + hi) >> 1;
    if ((fields[mid]?.start ?? Infinity) <= at) lo = mid + 1;
    else hi = mid;
  }
  for (let i = lo - 1; i >= 0 && i > lo - 8; i--) {
    const f = fields[i];
    if (f && f.end > at) return f;
  }
  return undefined;
}
