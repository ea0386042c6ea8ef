/**
 * Scrolling over more rows than a browser can lay out. A browser's boxes end at some ten million pixels, so the scroll bar stands
 * for the rows in proportion, and wheel, keys and touch move by rows.
 */
export const tallest = 8_000_000;

export interface Extent {
  rows: number;
  rowHeight: number;
  /** Height of what is seen. */
  view: number;
}

export function contentHeight(e: Extent): number {
  return Math.min(e.rows * e.rowHeight, Math.max(tallest, e.view));
}

export function isScaled(e: Extent): boolean {
  return e.rows * e.rowHeight > tallest;
}

/** The last row that can be at the top, as a fraction of rows. */
export function lastTop(e: Extent): number {
  return Math.max(0, e.rows - e.view / e.rowHeight);
}

export function clampTop(top: number, e: Extent): number {
  return Math.min(Math.max(top, 0), lastTop(e));
}

/** The row at the top for a position of the scroll bar. */
export function topOf(scroll: number, e: Extent): number {
  const room = contentHeight(e) - e.view;
  if (room <= 0) return 0;
  if (!isScaled(e)) return clampTop(scroll / e.rowHeight, e);
  return clampTop((Math.min(Math.max(scroll, 0), room) / room) * lastTop(e), e);
}

/** The position of the scroll bar for the row at the top. */
export function scrollOf(top: number, e: Extent): number {
  const room = contentHeight(e) - e.view;
  if (room <= 0) return 0;
  if (!isScaled(e)) return clampTop(top, e) * e.rowHeight;
  const last = lastTop(e);
  return last === 0 ? 0 : (clampTop(top, e) / last) * room;
}

/** The top that brings a row into view with the least movement; `null` where it is in view. */
export function reveal(row: number, top: number, e: Extent): number | null {
  const rows = e.view / e.rowHeight;
  if (row < top) return clampTop(row, e);
  if (row + 1 > top + rows) return clampTop(row + 1 - rows, e);
  return null;
}
