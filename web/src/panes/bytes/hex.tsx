import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Field, FileHead, Region } from '../../backend/questions';
import { byteAt, fieldAt, usePieces } from '../../backend/bytes';
import { t, tOr } from '../../i18n';
import { fieldTone } from '../../lib/colour';
import { hex } from '../../lib/format';
import { lang } from '../../state/prefs';
import { hover, select, type Spot } from '../../state/selection';
import { useSize } from '../../ui/hooks';
import { Scroller } from '../../ui/scroller';
import { Failed } from '../../ui/states';
import { Raw } from '../../ui/text';

interface Props {
  head: FileHead;
  region: Region | null;
  spot: Spot | null;
  under: Spot | null;
}

const rowHeight = 24;

/** Rows of bytes over the whole file, of any size. The cursor of the keyboard moves by bytes; what it is on is named. */
export function HexView({ head, region, spot, under }: Props) {
  const id = useId();
  const [box, size] = useSize<HTMLDivElement>();
  const width = size.width > 0 && size.width < 600 ? 8 : 16;
  const rows = Math.ceil(head.size / width);
  const [cursor, setCursor] = useState<number | null>(null);
  const page = useRef(16);
  const at = cursor ?? spot?.start ?? 0;
  const digits = Math.max(6, (head.size - 1).toString(16).length);

  useEffect(() => setCursor(null), [spot?.start, spot?.end, head.file]);

  const whole = (position: number): Spot => {
    const f = fieldAt(head.file, position, head.size, lang.value);
    return f ? { file: head.file, start: f.start, end: f.end, path: f.path } : { file: head.file, start: position, end: position + 1 };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey || event.target !== event.currentTarget) return;
    const to = {
      ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - width, ArrowDown: at + width,
      PageUp: at - width * page.current, PageDown: at + width * page.current,
      Home: event.ctrlKey ? 0 : at - (at % width), End: event.ctrlKey ? head.size - 1 : at - (at % width) + width - 1,
    }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      const next = Math.min(Math.max(to, 0), head.size - 1);
      setCursor(next);
      hover(whole(next));
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      select(event.shiftKey ? { file: head.file, start: at, end: at + 1, path: whole(at).path } : whole(at));
    } else if (event.key === 'Escape') {
      select(null);
    }
  };
  const position = (event: Event): number | null => {
    const found = (event.target as Element).closest<HTMLElement>('[data-at]');
    return found ? Number(found.dataset.at) : null;
  };

  return (
    <section class="fill hex" aria-label={t('bytes.title')} ref={box}>
      <div class={`grid hex-grid w${width}`}>
        <div role="rowgroup" class="grid-head" id={`${id}-head`}>
          <div role="row" class="hex-row" aria-rowindex={1}>
            <div role="columnheader" class="hex-offset">{t('bytes.position')}</div>
            <div role="columnheader" class="hex-bytes" aria-label={t('bytes.hex')}>
              {Array.from({ length: width }, (_, i) => <span aria-hidden="true">{i.toString(16).padStart(2, '0')}</span>)}
            </div>
            <div role="columnheader" class="hex-text">{t('bytes.ascii')}</div>
            <div role="columnheader" class="hex-fields">{t('bytes.fields')}</div>
          </div>
        </div>
        <Scroller
          rows={rows}
          rowHeight={rowHeight}
          show={Math.floor(at / width)}
          showKey={`${at} ${spot?.end}`}
          onView={(n) => (page.current = n)}
          inner="rowgroup"
          attributes={{
            role: 'grid',
            'aria-label': t('bytes.grid'),
            'aria-owns': `${id}-head`,
            'aria-rowcount': rows + 1,
            'aria-activedescendant': `${id}-${Math.floor(at / width)}`,
            'aria-describedby': 'readout',
            tabIndex: 0,
            onKeyDown,
            onBlur: () => hover(null),
            onPointerMove: (event: Event) => {
              const p = position(event);
              hover(p === null ? null : whole(p));
            },
            onPointerLeave: () => hover(null),
            onClick: (event: MouseEvent) => {
              const p = position(event);
              if (p === null) return;
              select(event.shiftKey ? { file: head.file, start: p, end: p + 1, path: whole(p).path } : whole(p));
              setCursor(p);
            },
          }}
        >
          {(first, last, shift) => (
            <Rows {...{ head, region, spot, under, first, last, shift, width, digits, id }} cursor={at} />
          )}
        </Scroller>
      </div>
    </section>
  );
}

interface RowsProps extends Props {
  first: number;
  last: number;
  shift: number;
  width: number;
  digits: number;
  cursor: number;
  id: string;
}

function Rows({ head, region, spot, under, first, last, shift, width, digits, cursor, id }: RowsProps) {
  const { failed } = usePieces(head.file, first * width, last * width, head.size, lang.value);
  const out = [];
  for (let row = first; row < last; row++) {
    const start = row * width;
    const end = Math.min(start + width, head.size);
    const cells = [];
    const texts = [];
    const names: Field[] = [];
    let before: Field | undefined;
    for (let p = start; p < end; p++) {
      const value = byteAt(head.file, p, head.size, lang.value);
      // What nobody answers has a place and nothing else.
      if (value === undefined && failed !== null) {
        cells.push(<span data-at={p} class={`absent${p === cursor ? ' cur' : ''}`}>··</span>);
        texts.push(<span data-at={p}>{' '}</span>);
        continue;
      }
      const f = fieldAt(head.file, p, head.size, lang.value);
      if (f && f !== before && (f.start === p || row === first)) names.push(f);
      before = f;
      const marked = spot !== null && p >= spot.start && p < spot.end;
      const inRegion = region !== null && p >= region.start && p < region.end && spot?.file === head.file;
      const hot = under !== null && p >= under.start && p < under.end;
      const cls = `${f ? fieldTone(f) : ''}${marked ? ' sel' : ''}${inRegion ? ' reg' : ''}${hot ? ' hot' : ''}${p === cursor ? ' cur' : ''}${f?.start === p ? ' begin' : ''}`;
      cells.push(<span data-at={p} class={cls}>{value === undefined ? '··' : value.toString(16).padStart(2, '0')}</span>);
      texts.push(<span data-at={p} class={`${value !== undefined && value >= 32 && value < 127 ? 'chr' : 'dim'}${marked ? ' sel' : ''}${hot ? ' hot' : ''}`}>{value === undefined ? ' ' : value >= 32 && value < 127 ? String.fromCharCode(value) : '·'}</span>);
    }
    out.push(
      <div key={row} id={`${id}-${row}`} role="row" aria-rowindex={row + 2} class="hex-row" style={{ height: `${rowHeight}px`, transform: `translateY(${shift + (row - first) * rowHeight}px)` }}>
        <div role="rowheader" class="hex-offset">{start.toString(16).padStart(digits, '0')}</div>
        <div role="gridcell" class="hex-bytes">{cells}</div>
        <div role="gridcell" class="hex-text">{texts}</div>
        <div role="gridcell" class="hex-fields">
          {names.slice(0, 6).map((f) => <FieldChip f={f} file={head.file} goesOn={f.start < start} />)}
        </div>
      </div>,
    );
  }
  return (
    <>
      {failed !== null && <div class="hex-failed"><Failed error={failed} /></div>}
      {out}
    </>
  );
}

function FieldChip({ f, file, goesOn }: { f: Field; file: number; goesOn: boolean }) {
  const value = (f.kind === 'type' ? f.meaning : undefined) ?? f.value ?? '';
  return (
    <span class={`chip ${goesOn ? 'goes-on' : ''}`} data-at={f.start} title={`${f.path} · ${hex(f.start)}–${hex(f.end)}`} data-file={file}>
      <i class={`tick bg-${fieldTone(f)}`} />
      {f.kind !== 'value' && <span class="chip-kind">{tOr(`field.${f.kind}`, f.kind)}</span>}
      {value !== '' && <Raw text={value.length > 60 ? value.slice(0, 60) + '…' : value} class="chip-value" />}
    </span>
  );
}
