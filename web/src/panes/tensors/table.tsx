import { useMemo, useState } from 'preact/hooks';
import type { TensorRow } from '../../backend/questions';
import { t } from '../../i18n';
import { typeColour } from '../../lib/colour';
import { count, hex, num, shape, short, sized } from '../../lib/format';
import { setView } from '../../state/route';
import { hover } from '../../state/selection';
import { counted } from '../../ui/absent';
import { Grid, type Column } from '../../ui/grid';
import { useDelayed } from '../../ui/hooks';
import { Empty, Search } from '../../ui/states';
import { Raw } from '../../ui/text';
import { pick } from './index';

const names = new Intl.Collator('en', { numeric: true });
const figure = (n: number | string | null) => (n === null ? -1 : Number(n));
const orders: Record<string, (a: TensorRow, b: TensorRow) => number> = {
  name: (a, b) => names.compare(a.name, b.name),
  type: (a, b) => names.compare(a.type, b.type),
  shape: (a, b) => figure(a.elements) - figure(b.elements),
  size: (a, b) => figure(a.bytes) - figure(b.bytes),
  bits: (a, b) => figure(a.bits_per_weight) - figure(b.bits_per_weight),
  layer: (a, b) => figure(a.layer) - figure(b.layer),
  offset: (a, b) => a.file - b.file || (a.data?.start ?? 0) - (b.data?.start ?? 0),
};

/** All tensors as a table. */
export function TensorTable({ rows, chosen }: { rows: readonly TensorRow[]; chosen: TensorRow | undefined }) {
  const [find, setFind] = useState('');
  const [sort, setSort] = useState<{ id: string; down: boolean } | null>(null);
  const wanted = useDelayed(find.trim().toLowerCase());
  const shown = useMemo(() => {
    const hit = wanted === '' ? [...rows] : rows.filter((x) => `${x.name} ${x.type} ${x.shape.join('x')} ${shape(x.shape)}`.toLowerCase().includes(wanted));
    const order = sort && orders[sort.id];
    if (order) hit.sort((a, b) => (sort.down ? -order(a, b) : order(a, b)));
    return hit;
  }, [rows, wanted, sort]);
  const current = useMemo(() => {
    const i = chosen ? shown.indexOf(chosen) : -1;
    return i < 0 ? null : i;
  }, [shown, chosen]);
  const bytes = useMemo(() => shown.reduce((n, x) => n + Math.max(0, figure(x.bytes)), 0), [shown]);
  const columns: Column<TensorRow>[] = [
    { id: 'name', label: t('tensors.name'), width: 'minmax(10rem, 2.2fr)', sortable: true, cell: (x) => <><i class={`dot bg-${typeColour(x.type)}`} /><Raw text={x.name} /></> },
    { id: 'type', label: t('tensors.type'), width: '5.5rem', min: 380, sortable: true, cell: (x) => <span class="mono small">{x.type}</span> },
    { id: 'shape', label: t('tensors.shape'), width: 'minmax(7rem, 1fr)', min: 560, number: true, sortable: true, cell: (x) => <span title={x.elements === null ? '' : short(x.elements)}>{shape(x.shape)}</span> },
    { id: 'bits', label: t('tensors.bits'), width: '6rem', min: 820, number: true, sortable: true, cell: (x) => num(x.bits_per_weight, 4) },
    { id: 'layer', label: t('tensors.layer'), width: '4rem', min: 700, number: true, sortable: true, cell: (x) => x.layer ?? '' },
    { id: 'offset', label: t('tensors.offset'), width: '7rem', min: 640, number: true, sortable: true, cell: (x) => <span class="mono muted">{x.data ? hex(x.data.start) : '–'}</span> },
    { id: 'size', label: t('tensors.size'), width: '6rem', number: true, sortable: true, cell: (x) => sized(x.bytes, x.sizing) },
  ];
  return (
    <section class="fill" aria-label={t('tensors.table')}>
      <div class="bar">
        <Search label={t('tensors.filter')} value={find} onInput={setFind} />
        <span class="muted">{wanted ? t('tag.matched', { n: count(shown.length), total: count(rows.length) }) : counted('tensors', t('tensors.n', { count: rows.length }))} · {sized(bytes, shown.some((x) => x.sizing !== 'exact') ? 'inferred' : 'exact')}</span>
        <span class="bar-room" />
        {chosen && (
          <div class="choice">
            <button type="button" onClick={() => setView({ show: 'stats' })}>{t('tensors.stats')}</button>
            <button type="button" onClick={() => setView({ show: 'values' })}>{t('tensors.values')}</button>
            <button type="button" onClick={() => setView({ show: 'block' })}>{t('tensors.block')}</button>
          </div>
        )}
      </div>
      <Grid
        label={t('tensors.table')}
        columns={columns}
        rows={shown.length}
        row={(i) => shown[i]}
        current={current}
        sort={sort}
        onSort={(id) => setSort(sort?.id !== id ? { id, down: id === 'size' || id === 'bits' } : sort.down === (id === 'size' || id === 'bits') ? { id, down: !sort.down } : null)}
        onSelect={(_, x) => pick(x)}
        onOpen={(_, x) => { pick(x); setView({ show: 'stats' }); }}
        onHover={(_, x) => hover(x?.data ? { ...x.data } : null)}
        empty={<Empty>{t('state.nothing')} <button type="button" class="link" onClick={() => setFind('')}>{t('state.clear')}</button></Empty>}
      />
    </section>
  );
}
