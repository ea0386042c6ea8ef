import { useEffect, useMemo } from 'preact/hooks';
import { useTensors } from '../../backend/lists';
import type { TensorRow } from '../../backend/questions';
import { t } from '../../i18n';
import { plain } from '../../lib/escape';
import { tensorAt } from '../../lib/find';
import { shape, sized } from '../../lib/format';
import { setView, view } from '../../state/route';
import { select, selected } from '../../state/selection';
import { fileHead, model } from '../../state/session';
import { Absent, Partial } from '../../ui/absent';
import { Empty, Failed, Intro, Loading, Tabs } from '../../ui/states';
import { BlockView } from './block';
import { HeatMap } from './heat';
import { Statistics } from './stats';
import { TensorTable } from './table';
import { Treemap } from './treemap';

type Show = 'table' | 'treemap' | 'stats' | 'values' | 'block';

/** All tensors, and what is inside of one. */
export function TensorsPane() {
  const tensors = useTensors(model.value?.model ?? null);
  const show = (['treemap', 'stats', 'values', 'block'] as const).find((s) => s === view.value.show) ?? 'table';
  const spot = selected.value;
  const chosen = useMemo(() => tensorAt(tensors.rows, spot), [tensors.rows, spot]);
  // Of a tensor that lies in no region of its own (no bytes), its place in the table is selected.
  const looks = show !== 'table' && show !== 'treemap';
  useEffect(() => {
    const first = tensors.rows.find((x) => x.readable) ?? tensors.rows[0];
    if (looks && !chosen && first && tensors.total !== null) pick(first);
  }, [looks, chosen === undefined, tensors.total]);

  if (tensors.error) return <Failed error={tensors.error} retry={tensors.retry} />;
  if (tensors.total === null) return <><Intro pane="tensors" /><Loading /></>;
  if (tensors.total === 0) return <><Intro pane="tensors" /><Absent what="tensors">{t('tensors.none')}</Absent></>;
  const options: [Show, string][] = [['table', t('tensors.table')], ['treemap', t('tensors.treemap')], ['stats', t('tensors.stats')], ['values', t('tensors.values')], ['block', t('tensors.block')]];
  return (
    <>
      <Intro pane="tensors" />
      <Tabs<Show> label={t('tensors.views')} value={show} options={options} onChange={(v) => setView({ show: v === 'table' ? null : v })} />
      <Partial what="more-tensors" />
      {show === 'table' && <TensorTable rows={tensors.rows} chosen={chosen} />}
      {show === 'treemap' && <Treemap rows={tensors.rows} chosen={chosen} />}
      {looks && chosen && (
        <>
          <Chooser rows={tensors.rows} chosen={chosen} />
          {!chosen.readable ? <Empty>{t(!chosen.data && fileHead(chosen.file)?.head_end === null ? 'tensors.unlocated' : 'tensors.unreadable')}</Empty>
            : show === 'stats' ? <Statistics key={`${chosen.file} ${chosen.index}`} tensor={chosen} />
            : show === 'values' ? <HeatMap key={`${chosen.file} ${chosen.index}`} tensor={chosen} />
            : <BlockView key={`${chosen.file} ${chosen.index}`} tensor={chosen} />}
        </>
      )}
      {looks && !chosen && <Empty>{t('tensors.pick')}</Empty>}
    </>
  );
}

export function pick(tensor: TensorRow): void {
  select(tensor.data && tensor.data.end > tensor.data.start ? { ...tensor.data, path: `tensors[${tensor.index}].data` } : { ...tensor.info });
}

/** Which tensor is looked into, and the way to its neighbours. */
function Chooser({ rows, chosen }: { rows: readonly TensorRow[]; chosen: TensorRow }) {
  const at = rows.indexOf(chosen);
  const few = rows.length <= 2000;
  const step = (by: number) => {
    const next = rows[at + by];
    if (next) pick(next);
  };
  return (
    <div class="bar chooser">
      <button type="button" class="button small" aria-label="←" disabled={at <= 0} onClick={() => step(-1)}>←</button>
      <button type="button" class="button small" aria-label="→" disabled={at >= rows.length - 1} onClick={() => step(1)}>→</button>
      {few ? (
        <label class="select"><span class="visually-hidden">{t('tensors.pick')}</span>
          <select class="mono" value={String(at)} onChange={(event) => { const x = rows[Number(event.currentTarget.value)]; if (x) pick(x); }}>
            {rows.map((x, i) => <option value={String(i)} selected={i === at}>{plain(x.name)}</option>)}
          </select>
        </label>
      ) : <b class="mono">{plain(chosen.name)}</b>}
      <span class="muted">{chosen.type} · {shape(chosen.shape)} · {sized(chosen.bytes, chosen.sizing)}</span>
    </div>
  );
}
