import { useMemo } from 'preact/hooks';
import { useAnswer } from '../../backend/answers';
import { useTensors } from '../../backend/lists';
import type { TensorRow } from '../../backend/questions';
import { t } from '../../i18n';
import { plain } from '../../lib/escape';
import { shape } from '../../lib/format';
import { outline, ranges, sharesEmbedding, type LayerGroup, type Outline, type Part } from '../../lib/model';
import { lang } from '../../state/prefs';
import { hover, select, selected } from '../../state/selection';
import { model } from '../../state/session';
import { Absent, Partial } from '../../ui/absent';
import { useSize } from '../../ui/hooks';
import { Failed, Loading } from '../../ui/states';

/** The model drawn from its tensor table, from the first tokens at the top to the output at the bottom. */
export function Diagram() {
  const tensors = useTensors(model.value?.model ?? null);
  const [box, size] = useSize<HTMLDivElement>();
  const drawn = useMemo(() => outline(tensors.rows), [tensors.rows]);
  const config = useAnswer('config', model.value ? { model: model.value.model, lang: lang.value } : null);
  const whole = model.value?.read.tensors.state === 'whole' && tensors.rows.length === tensors.total;
  const tied = whole && config.data !== undefined && sharesEmbedding(drawn, config.data.settings);
  if (tensors.error) return <Failed error={tensors.error} retry={tensors.retry} />;
  if (tensors.total === null) return <Loading />;
  if (drawn.groups.length === 0 && drawn.before.length + drawn.after.length === 0) return <Absent what={tensors.total === 0 ? 'tensors' : 'more-tensors'}>{t(tensors.total === 0 ? 'tensors.none' : 'load.diagram-none')}</Absent>;
  return (
    <div class="diagram card" ref={box}>
      <Partial what="more-tensors" />
      {size.width > 0 && <Drawing drawn={drawn} tied={tied} width={Math.min(size.width, 680)} />}
    </div>
  );
}

/** Names, shapes and types share a line, or where that is too narrow, take two. */
const rowOf = (width: number) => (width < 440 ? 38 : 22);
const marginOf = (width: number) => (width < 440 ? 4 : 28);
const head = 26;
const gap = 26;

interface Item {
  label: string;
  tensor: TensorRow;
  types: string[];
}

function Drawing({ drawn, tied, width }: { drawn: Outline; tied: boolean; width: number }) {
  const items: preact.ComponentChild[] = [];
  let y = 4;
  const row = rowOf(width);
  const margin = marginOf(width);
  const simple = (title: string, rows: Item[], kind: string) => {
    const h = head + rows.length * row + 8;
    items.push(<Box key={`${title} ${y}`} x={margin} y={y} w={width - 2 * margin - 12} row={row} h={h} title={title} rows={rows} kind={kind} />);
    y += h;
  };
  const arrow = () => {
    items.push(<path key={`a${y}`} class="d-arrow" d={`M${width / 2} ${y + 3}v${gap - 10}m-4 -5l4 5l4 -5`} />);
    y += gap;
  };
  if (drawn.before.length) {
    simple(t('load.embedding'), drawn.before.map(plainItem), 'before');
    arrow();
  }
  for (const group of drawn.groups) {
    const made = layerBox(group, width, y);
    items.push(made.drawing);
    y += made.height;
    arrow();
  }
  const norms = drawn.after.filter((x) => x.name.includes('norm'));
  const outs = drawn.after.filter((x) => !x.name.includes('norm'));
  if (norms.length) {
    simple(t('load.output-norm'), norms.map(plainItem), 'norm');
    arrow();
  }
  if (outs.length) simple(t('load.output'), outs.map(plainItem), 'after');
  else if (tied) simple(t('load.tied'), [], 'after');
  if (drawn.other.length) {
    y += 18;
    simple(t('load.other'), drawn.other.slice(0, 40).map(plainItem), 'other');
  }
  return (
    <svg class="diagram-svg" width={width} height={y + 6} viewBox={`0 0 ${width} ${y + 6}`} role="group" aria-label={t('load.diagram-label')}>
      {items}
    </svg>
  );
}

function plainItem(tensor: TensorRow): Item {
  return { label: tensor.name.replace(/\.weight$/, ''), tensor, types: [tensor.type] };
}

const partName: Record<Part, 'load.attention' | 'load.ssm' | 'load.experts' | 'load.ffn' | 'load.other'> = {
  attention: 'load.attention', ssm: 'load.ssm', experts: 'load.experts', ffn: 'load.ffn', other: 'load.other',
};

/** Layers that are alike: one box with as many behind it as there is room to hint at, and the way around each part. */
function layerBox(group: LayerGroup, width: number, y: number) {
  const n = group.layers.length;
  const inner: preact.ComponentChild[] = [];
  const row = rowOf(width);
  const left = marginOf(width);
  const w = width - 2 * left - 12;
  let at = y + head + 10;
  for (const p of group.parts) {
    const h = head + p.rows.length * row + 8;
    inner.push(<Box key={p.part} x={left + 34} y={at} w={w - 46} row={row} h={h} title={t(partName[p.part])} rows={p.rows} kind={p.part} />);
    if (p.part !== 'other') {
      // Around the part: what comes in is added to what goes out.
      inner.push(
        <g key={`${p.part} way`} class="d-way" aria-hidden="true">
          <path d={`M${left + 34} ${at - 5}H${left + 16}V${at + h + 5}H${left + 28}`} />
          <circle cx={left + 34} cy={at + h + 5} r={5.5} />
          <path d={`M${left + 31} ${at + h + 5}h6M${left + 34} ${at + h + 2}v6`} />
        </g>,
      );
    }
    at += h + 18;
  }
  const height = at - y;
  const stack = Math.min(n - 1, 3);
  const drawing = (
    <g key={`${group.stack} ${group.layers[0]}`}>
      {Array.from({ length: stack }, (_, i) => {
        const off = (stack - i) * 5;
        return <rect class="d-stack" x={left + off} y={y + off} width={w} height={height - 4} rx={7} />;
      })}
      <rect class="d-layer" x={left} y={y} width={w} height={height - 4} rx={7} />
      <text class="d-title" x={left + 12} y={y + 21}>{t('load.layers-range', { range: ranges(group.layers) })}{group.stack !== 'blk' ? ` · ${plain(group.stack)}` : ''}</text>
      <text class="d-times" x={left + w - 14} y={y + 22} text-anchor="end">{t('load.times', { n })}</text>
      {inner}
    </g>
  );
  return { drawing, height: height + stack * 5 };
}

function Box({ x, y, w, h, row, title, rows, kind }: { x: number; y: number; w: number; h: number; row: number; title: string; rows: Item[]; kind: string }) {
  const narrow = row > 30;
  const second = narrow ? 30 : 15;
  return (
    <g>
      <rect class={`d-box d-${kind}`} x={x} y={y} width={w} height={h} rx={5} />
      <rect class={`d-edge d-${kind}`} x={x} y={y} width={4} height={h} rx={2} />
      <text class="d-part" x={x + 14} y={y + 18}>{title}</text>
      {rows.map((r, i) => {
        const top = y + head + i * row;
        const spot = selected.value;
        const data = r.tensor.data;
        const here = spot !== null && data !== null && spot.file === data.file && spot.start >= data.start && spot.end <= data.end;
        const pick = () => select(data ? { ...data } : { ...r.tensor.info });
        const room = Math.max(4, Math.floor((w - (narrow ? 24 : 230)) / 7.3));
        const name = plain(r.label);
        return (
          <g
            class={`d-row ${here ? 'current' : ''}`}
            tabIndex={0}
            role="button"
            aria-label={`${plain(r.tensor.name)}, ${shape(r.tensor.shape)}, ${r.types.join(', ')}`}
            onClick={pick}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return;
              event.preventDefault();
              pick();
            }}
            onPointerEnter={() => data && hover({ ...data })}
            onPointerLeave={() => hover(null)}
          >
            <rect class="d-hit" x={x + 6} y={top} width={w - 10} height={row} rx={3} />
            <text class="d-name" x={x + 14} y={top + 15}>{name.length > room ? name.slice(0, room - 1) + '…' : name}</text>
            <text class="d-shape" x={narrow ? x + 14 : x + w - 96} y={top + second} text-anchor={narrow ? 'start' : 'end'}>{shape(r.tensor.shape)}</text>
            <text class="d-type" x={x + w - 12} y={top + second} text-anchor="end">{r.types.length > 2 ? `${r.types[0]} …` : r.types.join(' / ')}</text>
          </g>
        );
      })}
    </g>
  );
}
