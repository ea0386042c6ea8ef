import { useState } from 'preact/hooks';
import { useAnswer } from '../../backend/answers';
import type { Num, Stats, TensorRow } from '../../backend/questions';
import { t } from '../../i18n';
import { count, num, share, size } from '../../lib/format';
import { stepOf } from '../../lib/keys';
import { useSize } from '../../ui/hooks';
import { Failed, Loading } from '../../ui/states';

/** Tensors of up to this size are read without asking first. */
const atOnce = 64 * 1024 * 1024;

export function Statistics({ tensor }: { tensor: TensorRow }) {
  const bytes = Number(tensor.bytes ?? 0);
  const [asked, ask] = useState(bytes <= atOnce);
  const answer = useAnswer('stats', asked ? { file: tensor.file, tensor: tensor.index } : null);
  if (!asked) return <p class="blank"><button type="button" class="button primary" onClick={() => ask(true)}>{t('tensors.compute', { size: size(bytes) })}</button></p>;
  if (answer.error) return <Failed error={answer.error} retry={answer.retry} />;
  if (!answer.data || answer.busy) return bytes > atOnce / 4 ? <p class="blank loading" role="status">{t('tensors.computing')}</p> : <Loading />;
  return <Shown s={answer.data} />;
}

function Shown({ s }: { s: Stats }) {
  const main: [string, string][] = [
    [t('tensors.elements'), count(s.elements)], [t('tensors.min'), num(s.min)], [t('tensors.max'), num(s.max)], [t('tensors.mean'), num(s.mean)],
    [t('tensors.std'), num(s.std)], [t('tensors.rms'), num(s.rms)], [t('tensors.skewness'), num(s.skewness, 4)], [t('tensors.kurtosis'), num(s.kurtosis, 4)],
    [t('tensors.zeros'), `${count(s.zeros)} (${share(s.zeros, s.elements)})`],
    [t('tensors.outliers'), `${count(s.outliers)} (≥ ${num(s.outliers_from, 3)})`],
  ];
  if (s.nan > 0) main.push([t('tensors.nan'), count(s.nan)]);
  if (s.infinite > 0) main.push([t('tensors.infinite'), count(s.infinite)]);
  return (
    <div class="stats">
      <section class="card"><Histogram s={s} /></section>
      <section class="card">
        <dl class="measures">{main.map(([name, value]) => <div><dt>{name}</dt><dd>{value}</dd></div>)}</dl>
      </section>
      <section class="card">
        <h3>{t('tensors.quantiles')}</h3>
        <dl class="measures">{s.quantiles_at.map((q, i) => <div><dt>{num(q * 100, 4)} %</dt><dd>{num(s.quantiles[i])}</dd></div>)}</dl>
        {s.scales && (
          <>
            <h3>{t('tensors.scales')}</h3>
            <dl class="measures">
              <div><dt>{t('tensors.blocks')}</dt><dd>{count(s.scales.blocks)}</dd></div>
              <div><dt>{t('tensors.least-size')}</dt><dd>{num(s.scales.min)}</dd></div>
              <div><dt>{t('tensors.greatest-size')}</dt><dd>{num(s.scales.max)}</dd></div>
              <div><dt>{t('tensors.zeros')}</dt><dd>{count(s.scales.zeros)}</dd></div>
              {s.scales.not_finite > 0 && <div><dt>{t('tensors.nan')}</dt><dd>{count(s.scales.not_finite)}</dd></div>}
            </dl>
          </>
        )}
      </section>
    </div>
  );
}

const high = 190;

function Histogram({ s }: { s: Stats }) {
  const [box, room] = useSize<HTMLDivElement>();
  const [logged, setLogged] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const { counts, edges } = s.histogram;
  const most = Math.max(1, ...counts);
  const tall = (n: number) => (n === 0 ? 0 : logged ? (Math.log1p(n) / Math.log1p(most)) * high : (n / most) * high);
  const w = room.width / Math.max(1, counts.length);
  const edge = (i: number): Num | undefined => edges[i];
  const zero = typeof edges[0] === 'number' && typeof edges.at(-1) === 'number' && edges[0] < 0 && (edges.at(-1) as number) > 0 ? (-edges[0] / ((edges.at(-1) as number) - edges[0])) * room.width : null;
  const say = at === null ? '' : t('tensors.bin', { n: count(counts[at] ?? 0), from: num(edge(at)), to: num(edge(at + 1)) });
  return (
    <>
      <div class="bar"><h3 class="bar-title">{t('tensors.histogram')}</h3><span class="bar-room" /><label class="check"><input type="checkbox" checked={logged} onChange={(e) => setLogged(e.currentTarget.checked)} /> {t('tensors.logCounts')}</label></div>
      <div
        ref={box}
        class="histogram"
        tabIndex={0}
        role="application"
        aria-label={t('tensors.histogram')}
        onKeyDown={(event) => {
          const by = stepOf(event.key);
          if (by === undefined) return;
          event.preventDefault();
          setAt(Math.min(counts.length - 1, Math.max(0, (at ?? (by > 0 ? -1 : counts.length)) + by)));
        }}
        onPointerMove={(event) => setAt(Math.min(counts.length - 1, Math.max(0, Math.floor((event.clientX - event.currentTarget.getBoundingClientRect().left) / w))))}
        onPointerLeave={() => setAt(null)}
      >
        {room.width > 0 && (
          <svg width={room.width} height={high + 2} aria-hidden="true">
            {zero !== null && <line class="h-zero" x1={zero} x2={zero} y1={0} y2={high} />}
            {counts.map((n, i) => <rect class={i === at ? 'h-bar hot' : 'h-bar'} x={i * w} y={high - tall(n)} width={Math.max(w - 1, 0.5)} height={tall(n)} />)}
            <line class="h-base" x1={0} x2={room.width} y1={high + 0.5} y2={high + 0.5} />
          </svg>
        )}
      </div>
      <div class="histogram-ends"><span>{num(edge(0))}</span><span role="status">{say}</span><span>{num(edge(counts.length))}</span></div>
    </>
  );
}
