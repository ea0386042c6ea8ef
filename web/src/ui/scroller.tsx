import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { clampTop, contentHeight, isScaled, reveal, scrollOf, topOf, type Extent } from '../lib/scroll';
import { useActive } from './hooks';

interface Props {
  rows: number;
  rowHeight: number;
  /** Draws the rows `first..last`; `shift` is where the first one begins, in pixels from the top of what is seen. */
  children: (first: number, last: number, shift: number) => ComponentChildren;
  /** A row to bring into view whenever it, or `revealKey`, changes. */
  show?: number | null;
  showKey?: unknown;
  /** Bring it to the middle, not just into view. */
  centre?: boolean;
  class?: string;
  /** Told what is seen, in whole rows. */
  onView?: (rows: number) => void;
  attributes?: Record<string, unknown>;
  /** Role of what holds the rows. */
  inner?: 'rowgroup' | 'presentation';
}

/**
 * A window over rows of one height, of which only those in view exist. More rows than a browser can lay out are scrolled in
 * proportion (`lib/scroll`).
 */
export function Scroller({ rows, rowHeight, children, show = null, showKey, centre = false, class: cls = '', onView, attributes = {}, inner = 'presentation' }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState(0);
  const [top, setTop] = useState(0);
  const exact = useRef(0);
  const set = useRef(-1);
  const extent: Extent = { rows, rowHeight, view: Math.max(view, 1) };
  const scaled = isScaled(extent);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setView(element.clientHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => onView?.(Math.max(1, Math.floor(view / rowHeight))), [view, rowHeight]);

  const moveTo = (row: number) => {
    const next = clampTop(row, extent);
    exact.current = next;
    setTop(next);
    const element = box.current;
    if (!element) return;
    const y = Math.round(scrollOf(next, extent));
    set.current = y;
    if (Math.round(element.scrollTop) !== y) element.scrollTop = y;
  };

  useLayoutEffect(() => {
    if (show === null || view === 0 || rows === 0) return;
    const to = reveal(show, exact.current, extent);
    if (to === null) return;
    moveTo(centre || Math.abs(to - exact.current) > view / rowHeight ? show - Math.floor(view / rowHeight / 2) : to);
  }, [show, showKey, view, rows]);

  useLayoutEffect(() => {
    if (view > 0 && clampTop(exact.current, extent) !== exact.current) moveTo(exact.current);
  }, [rows, view]);

  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    // The bar was moved by us: the row is known more exactly than the bar can tell.
    if (Math.abs(element.scrollTop - set.current) <= 1) return;
    set.current = -1;
    exact.current = topOf(element.scrollTop, extent);
    setTop(exact.current);
  };

  useActive(box, 'wheel', (event) => {
    const wheel = event as WheelEvent;
    if (!scaled || wheel.ctrlKey || wheel.deltaY === 0) return;
    event.preventDefault();
    const unit = wheel.deltaMode === 1 ? 3 : wheel.deltaMode === 2 ? view / rowHeight : 1 / rowHeight;
    moveTo(exact.current + wheel.deltaY * unit);
  });
  const touch = useRef(0);
  useActive(box, 'touchstart', (event) => {
    touch.current = (event as TouchEvent).touches[0]?.clientY ?? 0;
  });
  useActive(box, 'touchmove', (event) => {
    if (!scaled || (event as TouchEvent).touches.length !== 1) return;
    event.preventDefault();
    const y = (event as TouchEvent).touches[0]?.clientY ?? 0;
    moveTo(exact.current + (touch.current - y) / rowHeight);
    touch.current = y;
  });

  const at = clampTop(top, extent);
  const first = Math.max(0, Math.floor(at) - 2);
  const last = Math.min(rows, Math.ceil(at + view / rowHeight) + 2);
  return (
    <div class={`scroller ${cls}`} ref={box} onScroll={onScroll} {...attributes}>
      <div class="scroller-room" style={{ height: `${contentHeight(extent)}px` }} role="presentation">
        <div class="scroller-window" style={{ height: `${view}px` }} role={inner}>
          {view > 0 && children(first, last, (first - at) * rowHeight)}
        </div>
      </div>
    </div>
  );
}
