import type { Entry, Place, TensorRow } from '../backend/questions';

/** What lies at a place. Regions may stand for many tensors or keys, so places go by the lists themselves. */

function holds(span: Place | null, at: Place): boolean {
  return span !== null && span.file === at.file && span.start <= at.start && at.start < span.end;
}

export function tensorAt(rows: readonly TensorRow[], at: Place | null): TensorRow | undefined {
  return at === null ? undefined : rows.find((x) => holds(x.data, at) || holds(x.info, at));
}

export function entryAt(rows: readonly Entry[], at: Place | null): Entry | undefined {
  return at === null ? undefined : rows.find((x) => holds(x.span, at));
}
