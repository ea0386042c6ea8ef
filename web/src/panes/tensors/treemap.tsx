import { stepOf } from '../../lib/keys';
import { hierarchy, treemap, type HierarchyRectangularNode } from 'd3-hierarchy';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { TensorRow } from '../../backend/questions';
import { t } from '../../i18n';
import { typeColour } from '../../lib/colour';
import { plain } from '../../lib/escape';
import { tensorAt } from '../../lib/find';
import { count, size as bytes, sized } from '../../lib/format';
import { palette } from '../../state/prefs';
import { setView } from '../../state/route';
import { hover, hovered } from '../../state/selection';
import { useDrawing } from '../../ui/canvas';
import { useSize } from '../../ui/hooks';
import { Choice } from '../../ui/states';
import { pick } from './index';

interface Node {
  label: string;
  tensor?: TensorRow;
  value?: number;
  children?: Node[];
}

/** Areas that are drawn at most; smaller tensors would be less than a pixel. */
const most = 20_000;

export function Treemap({ rows, chosen }: { rows: readonly TensorRow[]; chosen: TensorRow | undefined }) {
  const [by, setBy] = useState<'layer' | 'type'>('layer');
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const left = Math.max(0, rows.length - most);
  const laid = useMemo(() => {
    if (size.width < 10 || size.height < 10) return null;
    const large = [...rows].sort((a, b) => Number(b.bytes ?? 0) - Number(a.bytes ?? 0));
    const groups = new Map<string, Node>();
    const put = (label: string, node: Node) => {
      const group = groups.get(label) ?? { label, children: [] };
      group.children?.push(node);
      groups.set(label, group);
    };
    for (const x of large.slice(0, most)) {
      const label = by === 'type' ? x.type : x.layer === null ? t('load.other-layers') : t('load.layer-n', { n: x.layer });
      put(label, { label: x.name, tensor: x, value: Number(x.bytes ?? 0) });
    }
    const rest = large.slice(most).reduce((n, x) => n + Number(x.bytes ?? 0), 0);
    if (rest > 0) put(t('tensors.rest'), { label: t('tensors.rest'), value: rest });
    const root = hierarchy<Node>({ label: '', children: [...groups.values()] }).sum((d) => d.value ?? 0).sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
    // Names and edges of groups take room that thousands of them do not have.
    const room = (size.width * size.height) / Math.max(1, groups.size) > 9000;
    const edge = rows.length > 4000 ? 0 : 1;
    return treemap<Node>().size([size.width, size.height]).paddingInner(edge).paddingOuter(room ? 1 : 0).paddingTop((n) => (n.depth === 1 && room ? 19 : 0)).round(edge === 1)(root);
  }, [rows, by, size.width, size.height, t('load.other-layers')]);

  const colour = palette.value;
  const under = hovered.value;
  useDrawing(canvas, size.width, size.height, (c) => {
    if (!laid) return;
    c.textBaseline = 'middle';
    for (const group of laid.children ?? []) {
      c.fillStyle = colour('raised');
      c.fillRect(group.x0, group.y0, group.x1 - group.x0, group.y1 - group.y0);
      c.font = '600 12px system-ui, sans-serif';
      c.fillStyle = colour('ink');
      if (group.x1 - group.x0 > 40 && (group.children?.[0]?.y0 ?? 0) - group.y0 > 12) fit(c, `${plain(group.data.label)}  ${bytes(group.value ?? 0)}`, group.x0 + 4, group.y0 + 10, group.x1 - group.x0 - 6);
      for (const leaf of group.leaves()) drawLeaf(c, leaf, colour);
    }
  }, [laid, colour]);

  // What is selected and what is under the pointer are marked above the drawing, which stays as it is.
  const leaves = useMemo(() => laid?.leaves() ?? [], [laid]);
  const mark = (x: TensorRow | undefined, kind: string) => {
    const n = x && leaves.find((leaf) => leaf.data.tensor === x);
    return n && <div class={`treemap-mark ${kind}`} style={{ left: `${n.x0}px`, top: `${n.y0}px`, width: `${n.x1 - n.x0}px`, height: `${n.y1 - n.y0}px` }} />;
  };

  const find = (event: MouseEvent): TensorRow | undefined => {
    const rect = canvas.current?.getBoundingClientRect();
    if (!rect) return undefined;
    const x = event.clientX - rect.left;
    const y = event.clientY - rect.top;
    return leaves.find((n) => x >= n.x0 && x < n.x1 && y >= n.y0 && y < n.y1)?.data.tensor;
  };
  // By the keyboard: from the largest on; what is reached is named below the strip, as what is under the pointer.
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event.key, true);
    const here = tensorAt(rows, under) ?? chosen;
    if (step !== undefined) {
      event.preventDefault();
      const own = leaves.filter((leaf) => leaf.data.tensor?.data);
      const at = own.findIndex((leaf) => leaf.data.tensor === here);
      const next = own[Math.min(Math.max(at + step, 0), own.length - 1)]?.data.tensor;
      if (next?.data) hover({ ...next.data });
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      if (here && here === chosen) setView({ show: 'stats' });
      else if (here) pick(here);
    }
  };
  return (
    <section class="fill" aria-label={t('tensors.treemap')}>
      <div class="bar">
        <Choice label={t('tensors.group')} value={by} options={[['layer', t('tensors.group-layer')], ['type', t('tensors.group-type')]]} onChange={setBy} />
        <ul class="legend">{[...new Set(rows.map((x) => x.type))].slice(0, 14).map((type) => <li><i class={`dot bg-${typeColour(type)}`} />{plain(type)}</li>)}</ul>
        {left > 0 && <span class="hint">{t('tensors.treemap-more', { n: count(most) })}</span>}
      </div>
      <div
        class="treemap"
        ref={box}
        tabIndex={0}
        role="application"
        aria-label={t('tensors.treemap-label')}
        aria-describedby="readout"
        onKeyDown={onKeyDown}
        onBlur={() => hover(null)}
        onPointerMove={(event) => {
          const x = find(event);
          hover(x?.data ? { ...x.data } : null);
        }}
        onPointerLeave={() => hover(null)}
        onClick={(event) => {
          const x = find(event);
          if (x) pick(x);
        }}
        onDblClick={() => setView({ show: 'stats' })}
      >
        <canvas ref={canvas} aria-hidden="true" />
        {mark(tensorAt(rows, under), 'hot')}
        {mark(chosen, 'chosen')}
      </div>
    </section>
  );
}

function drawLeaf(c: CanvasRenderingContext2D, n: HierarchyRectangularNode<Node>, colour: (name: string) => string) {
  const w = n.x1 - n.x0;
  const h = n.y1 - n.y0;
  if (w <= 0 || h <= 0) return;
  const x = n.data.tensor;
  c.fillStyle = x ? colour(typeColour(x.type)) : colour('line-strong');
  c.globalAlpha = (x?.index ?? 0) % 2 && w < 46 ? 0.85 : 1;
  c.fillRect(n.x0, n.y0, w, h);
  c.globalAlpha = 1;
  if (w > 46 && h > 16) {
    c.font = '12px system-ui, sans-serif';
    c.fillStyle = colour('on-kind');
    const name = plain(n.data.label).replace(/^.*?blk\.\d+\./, '').replace(/\.weight$/, '');
    fit(c, name, n.x0 + 5, n.y0 + Math.min(h / 2, 12), w - 10);
    if (h > 34) {
      c.globalAlpha = 0.85;
      fit(c, `${sized(n.value ?? 0, x?.sizing ?? 'exact')} · ${x?.type ?? ''}`, n.x0 + 5, n.y0 + 28, w - 10);
      c.globalAlpha = 1;
    }
  }
}

function fit(c: CanvasRenderingContext2D, text: string, x: number, y: number, room: number) {
  if (c.measureText(text).width <= room) {
    c.fillText(text, x, y);
    return;
  }
  let n = Math.floor((room / c.measureText(text).width) * text.length) - 1;
  while (n > 1 && c.measureText(text.slice(0, n) + '…').width > room) n--;
  if (n > 2) c.fillText(text.slice(0, n) + '…', x, y);
}
