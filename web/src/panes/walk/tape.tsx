import { byteAt, usePieces } from '../../backend/bytes';
import type { Step } from '../../backend/questions';
import { t } from '../../i18n';
import { fieldTone } from '../../lib/colour';
import { count, hex } from '../../lib/format';
import { lang } from '../../state/prefs';
import { useSize } from '../../ui/hooks';

interface Cell {
  key: string;
  at: number | null;
  tone: string;
  part: 'before' | 'now' | 'after';
  text?: string;
}

const wide = 30;

/** The bytes at the reader's cursor: those just read, those now, those next. They slide as the cursor goes on. */
export function Tape({ step, before, after, file, size }: { step: Step; before: Step | undefined; after: Step | undefined; file: number; size: number }) {
  const [box, room] = useSize<HTMLDivElement>();
  const cells: Cell[] = [];
  const most = Math.max(6, Math.floor(room.width / wide));
  const lead = Math.min(4, Math.floor(most / 5));
  const put = (s: Step, from: number, to: number, part: Cell['part']) => {
    for (let at = from; at < to; at++) cells.push({ key: String(at), at, tone: fieldTone({ path: '', start: 0, end: 0, kind: s.kind }), part });
  };
  if (before) put(before, Math.max(before.start, step.start - lead), step.start, 'before');
  const first = cells.length;
  const fits = most - lead - 2;
  const length = step.end - step.start;
  if (length <= fits) put(step, step.start, step.end, 'now');
  else {
    put(step, step.start, step.start + fits - 5, 'now');
    cells.push({ key: `${step.start}…`, at: null, tone: '', part: 'now', text: '…' });
    put(step, step.end - 2, step.end, 'now');
  }
  const end = cells.length;
  if (after) put(after, after.start, Math.min(after.end, after.start + Math.max(0, most - cells.length)), 'after');
  usePieces(file, Math.max(0, step.start - lead), Math.min(size, step.start + most), size, lang.value);
  usePieces(file, Math.max(0, step.end - 2), Math.min(size, step.end + most), size, lang.value);
  const shift = lead - first;
  return (
    <div class="tape" ref={box} aria-label={t('walk.tape')} role="img">
      <div class="tape-now" style={{ left: `${(first + shift) * wide}px`, width: `${(end - first) * wide - 2}px` }} />
      {cells.map((c, i) => {
        const value = c.at === null ? undefined : byteAt(file, c.at, size, lang.value);
        return (
          <div key={c.key} class={`tape-cell ${c.part} ${c.tone}`} style={{ transform: `translateX(${(i + shift) * wide}px)` }}>
            <b>{c.text ?? (value === undefined ? '··' : value.toString(16).padStart(2, '0'))}</b>
            <span>{value === undefined ? '' : value >= 32 && value < 127 ? String.fromCharCode(value) : '·'}</span>
          </div>
        );
      })}
      <div class="tape-cursor" style={{ transform: `translateX(${(end + shift) * wide}px)` }}>
        <span class="mono">{hex(step.end)}</span>
      </div>
      {length > fits && <span class="tape-more">{t('walk.more', { n: count(length - fits + 3) })}</span>}
    </div>
  );
}
