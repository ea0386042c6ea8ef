import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Scroller } from './scroller';
import { useSize } from './hooks';

export interface Column<R> {
  id: string;
  label: string;
  /** A track of a CSS grid: `7rem`, `minmax(8rem, 2fr)`. */
  width: string;
  cell: (row: R, index: number) => ComponentChildren;
  /** Right-aligned. */
  number?: boolean;
  /** Left out where the grid is narrower than this. */
  min?: number;
  sortable?: boolean;
}

interface Props<R> {
  label: string;
  columns: Column<R>[];
  rows: number;
  /** The row, or nothing where it is not here yet. */
  row: (index: number) => R | undefined;
  rowHeight?: number;
  /** Index of the row that is selected: marked, and scrolled to when it changes. */
  current?: number | null;
  onSelect?: (index: number, row: R) => void;
  onOpen?: (index: number, row: R) => void;
  /** The row under the pointer, or under the keyboard's cursor; `null` when it leaves. */
  onHover?: (index: number | null, row: R | undefined) => void;
  onKey?: (event: KeyboardEvent, index: number, row: R | undefined) => boolean;
  sort?: { id: string; down: boolean } | null;
  onSort?: (id: string) => void;
  rowClass?: (row: R, index: number) => string;
  empty?: ComponentChildren;
  level?: (row: R) => { level: number; expanded?: boolean };
  centre?: boolean;
}

/** A table of any number of rows of one height, for pointer, keyboard and screen reader. */
export function Grid<R>(p: Props<R>) {
  const id = useId();
  const [ref, size] = useSize<HTMLDivElement>();
  const page = useRef(10);
  const [cursor, setCursor] = useState<number | null>(null);
  const [moved, setMoved] = useState(0);
  const height = p.rowHeight ?? 30;
  const columns = p.columns.filter((c) => c.min === undefined || size.width >= c.min);
  const tracks = columns.map((c) => c.width).join(' ');
  const active = cursor !== null && cursor < p.rows ? cursor : (p.current ?? null);

  const move = (to: number) => {
    const next = Math.min(Math.max(to, 0), p.rows - 1);
    setCursor(next);
    setMoved((n) => n + 1);
    p.onHover?.(next, p.row(next));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = active ?? -1;
    const row = at >= 0 ? p.row(at) : undefined;
    if (at >= 0 && p.onKey?.(event, at, row)) {
      event.preventDefault();
      return;
    }
    const steps: Record<string, number> = {
      ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page.current, PageUp: at - page.current, Home: 0, End: p.rows - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      move(to);
    } else if ((event.key === 'Enter' || event.key === ' ') && row !== undefined) {
      event.preventDefault();
      if (event.key === 'Enter' && p.onOpen && at === p.current) p.onOpen(at, row);
      else p.onSelect?.(at, row);
    }
  };

  const rowOf = (event: Event): number | null => {
    const element = (event.target as Element).closest<HTMLElement>('[data-row]');
    return element ? Number(element.dataset.row) : null;
  };

  // What scrolls is what has the focus, so it is the grid; the head, which stays, belongs to it.
  const table = {
    role: p.level ? ('treegrid' as const) : ('grid' as const),
    'aria-label': p.label,
    'aria-rowcount': p.rows + 1,
    'aria-colcount': columns.length,
  };
  return (
    <div class="grid" ref={ref} {...(p.rows === 0 ? table : {})}>
      <div class="grid-head" role="rowgroup" id={`${id}-head`}>
        <div class="grid-row" role="row" aria-rowindex={1} style={{ gridTemplateColumns: tracks }}>
          {columns.map((c) => {
            const sorted = p.sort?.id === c.id ? (p.sort.down ? 'descending' : 'ascending') : undefined;
            return (
              <div role="columnheader" class={c.number ? 'cell number' : 'cell'} aria-sort={c.sortable ? (sorted ?? 'none') : undefined}>
                {c.sortable && p.onSort ? (
                  <button type="button" class="sorter" onClick={() => p.onSort?.(c.id)}>
                    {c.label}
                    <span class={`arrow ${sorted ?? ''}`} aria-hidden="true" />
                  </button>
                ) : (
                  c.label
                )}
              </div>
            );
          })}
        </div>
      </div>
      {p.rows === 0 ? (
        <div role="rowgroup" class="grid-empty"><div role="row"><div role="gridcell">{p.empty}</div></div></div>
      ) : (
        <Scroller
          rows={p.rows}
          rowHeight={height}
          show={active}
          showKey={`${p.current}-${moved}`}
          centre={p.centre ?? false}
          onView={(n) => (page.current = n)}
          inner="rowgroup"
          attributes={{
            ...table,
            'aria-owns': `${id}-head`,
            'aria-activedescendant': active !== null ? `${id}-${active}` : undefined,
            tabIndex: 0,
            onKeyDown,
            onBlur: () => p.onHover?.(null, undefined),
            onClick: (event: Event) => {
              const at = rowOf(event);
              const row = at === null ? undefined : p.row(at);
              if (at !== null && row !== undefined && !(event.target as Element).closest('button, a')) {
                setCursor(at);
                p.onSelect?.(at, row);
              }
            },
            onDblClick: (event: Event) => {
              const at = rowOf(event);
              const row = at === null ? undefined : p.row(at);
              if (at !== null && row !== undefined) p.onOpen?.(at, row);
            },
            onPointerMove: (event: Event) => {
              if (!p.onHover) return;
              const at = rowOf(event);
              p.onHover(at, at === null ? undefined : p.row(at));
            },
            onPointerLeave: () => p.onHover?.(null, undefined),
          }}
        >
          {(first, last, shift) => {
            const out = [];
            for (let i = first; i < last; i++) {
              const row = p.row(i);
              const level = row !== undefined ? p.level?.(row) : undefined;
              out.push(
                <div
                  key={i}
                  id={`${id}-${i}`}
                  data-row={i}
                  role="row"
                  aria-rowindex={i + 2}
                  aria-selected={i === p.current}
                  aria-level={level?.level}
                  aria-expanded={level?.expanded}
                  class={`grid-row ${i === p.current ? 'current' : ''} ${i === active ? 'active' : ''} ${row !== undefined ? (p.rowClass?.(row, i) ?? '') : 'pending'}`}
                  style={{ gridTemplateColumns: tracks, height: `${height}px`, transform: `translateY(${shift + (i - first) * height}px)` }}
                >
                  {columns.map((c) => (
                    <div role="gridcell" class={c.number ? 'cell number' : 'cell'}>
                      {row === undefined ? <span class="wait" /> : c.cell(row, i)}
                    </div>
                  ))}
                </div>,
              );
            }
            return out;
          }}
        </Scroller>
      )}
    </div>
  );
}
