import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Compared, Num, Said as Sentence } from '../../backend/questions';
import { t } from '../../i18n';
import { plain } from '../../lib/escape';
import { count, num, share, size } from '../../lib/format';
import { isWhole } from '../../state/session';
import { Grid, type Column } from '../../ui/grid';
import { Empty, Failed, Loading, Select } from '../../ui/states';
import { Said } from '../../ui/said';
import { Raw } from '../../ui/text';
import { ErrorChart, type Measure } from './chart';
import { begin, prepare, run, stop } from './run';

type Result = Compared | { name: string; error: Sentence | null };
const isCompared = (r: Result): r is Compared => !('error' in r);
const figure = (n: Num) => (typeof n === 'number' ? n : n === 'NaN' ? -Infinity : n === 'Infinity' ? Infinity : -Infinity);

/** How far the weights of two models are apart, tensor by tensor. */
export function Weights({ a, b }: { a: number; b: number }) {
  const [measure, setMeasure] = useState<Measure>('relative');
  const [sort, setSort] = useState<{ id: string; down: boolean } | null>(null);
  const [at, setAt] = useState<string | null>(null);
  useEffect(() => void prepare(a, b), [a, b]);
  const r = run.value;
  const mine = r.a === a && r.b === b;
  const rows = useMemo(() => {
    const out = [...r.results];
    if (sort) {
      const value = (x: Result) => (!isCompared(x) ? -Infinity : sort.id === 'equal' ? x.equal / Math.max(1, x.elements) : figure(x[sort.id as 'relative' | 'rmse' | 'max' | 'cosine' | 'snr_db'] ?? 'NaN'));
      out.sort((x, y) => (sort.id === 'name' ? x.name.localeCompare(y.name, 'en', { numeric: true }) : value(x) - value(y)) * (sort.down ? -1 : 1));
    }
    return out;
  }, [r.results, sort]);
  if (!mine) return <Loading />;
  if (r.state === 'failed') return <Failed error={r.error} retry={() => void prepare(a, b)} />;
  if (!r.pairs) return <Loading />;
  const { pairs, only_a, only_b, left_out } = r.pairs;
  const none = pairs.length === 0;
  const bytes = pairs.reduce((n, p) => n + Number(p.bytes), 0);
  const cell = (get: (x: Compared) => Num) => (x: Result) => (isCompared(x) ? num(get(x), 4) : '');
  const columns: Column<Result>[] = [
    { id: 'name', label: t('compare.name'), width: 'minmax(9rem, 2fr)', sortable: true, cell: (x) => <Raw text={x.name} /> },
    { id: 'types', label: t('compare.types'), width: '9rem', min: 520, cell: (x) => (isCompared(x) ? <span class="mono small">{x.type_a} → {x.type_b}</span> : <span class="muted">{x.error && x.error.en !== '' ? <Said text={x.error} /> : t('compare.failed')}</span>) },
    { id: 'relative', label: t('compare.relative'), width: '7.5rem', number: true, sortable: true, cell: cell((x) => x.relative) },
    { id: 'rmse', label: t('compare.rmse'), width: '7rem', number: true, sortable: true, min: 640, cell: cell((x) => x.rmse) },
    { id: 'max', label: t('compare.max'), width: '9.5rem', number: true, sortable: true, min: 900, cell: cell((x) => x.max) },
    { id: 'cosine', label: t('compare.cosine'), width: '6.5rem', number: true, sortable: true, min: 760, cell: (x) => (isCompared(x) ? num(x.cosine, 7) : '') },
    { id: 'snr_db', label: t('compare.snr'), width: '6.5rem', number: true, sortable: true, min: 440, cell: cell((x) => x.snr_db) },
    { id: 'equal', label: t('compare.equal'), width: '5.5rem', number: true, sortable: true, min: 960, cell: (x) => (isCompared(x) ? share(x.equal, x.elements) : '') },
  ];
  const current = at === null ? -1 : rows.findIndex((x) => x.name === at);
  return (
    <section class="fill" aria-label={t('compare.weights')}>
      {none ? <Empty>{t('compare.no-pairs')}</Empty> : <div class="bar">
        {r.state === 'running' ? (
          <button type="button" class="button" onClick={stop}>{t('compare.stop')}</button>
        ) : r.state === 'done' ? null : (
          <button type="button" class="button primary" onClick={() => void begin()}>{t('compare.start', { count: pairs.length - r.results.length })}</button>
        )}
        <progress max={bytes} value={r.bytes} aria-label={t('compare.weights')} />
        <span class="muted" role="status">
          {r.state === 'done' ? t('compare.done') : r.state === 'stopped' ? t('compare.stopped') : ''} {t('compare.progress', { n: count(r.results.length), total: count(pairs.length), size: size(bytes) })}
        </span>
        <span class="bar-room" />
        <Select<Measure> label={t('compare.measure')} value={measure} options={[['relative', t('compare.relative')], ['rmse', t('compare.rmse')], ['max', t('compare.max')], ['snr_db', t('compare.snr')]]} onChange={setMeasure} />
      </div>}
      {(only_a.count > 0 || only_b.count > 0 || left_out > 0) && (
        <p class="hint">
          {only_a.count > 0 && <span title={only_a.names.slice(0, 40).map(plain).join('\n')}>{t(isWhole(b, 'tensors') ? 'compare.only-a' : 'compare.found-a', { n: count(only_a.count) })} </span>}
          {only_b.count > 0 && <span title={only_b.names.slice(0, 40).map(plain).join('\n')}>{t(isWhole(a, 'tensors') ? 'compare.only-b' : 'compare.found-b', { n: count(only_b.count) })} </span>}
          {left_out > 0 && t('compare.pairs-left-out', { n: count(left_out) })}
        </p>
      )}
      {r.results.length > 0 && (
        <>
          <ErrorChart results={r.results.filter(isCompared)} total={pairs.length} measure={measure} at={at} onAt={setAt} />
          <Grid
            label={t('compare.weights')}
            columns={columns}
            rows={rows.length}
            row={(i) => rows[i]}
            current={current < 0 ? null : current}
            onSelect={(_, x) => setAt(x.name)}
            sort={sort}
            onSort={(id) => setSort(sort?.id === id ? (sort.down ? { id, down: false } : null) : { id, down: id !== 'name' })}
          />
        </>
      )}
    </section>
  );
}
