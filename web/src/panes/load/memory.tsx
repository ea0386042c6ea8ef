import { useState } from 'preact/hooks';
import { useAnswer } from '../../backend/answers';
import type { CacheKind, Memory } from '../../backend/questions';
import { t } from '../../i18n';
import { cacheBytes, contexts, kept, totalCache } from '../../lib/cache';
import { typeColour } from '../../lib/colour';
import { plain } from '../../lib/escape';
import { count, num, share, size, sized } from '../../lib/format';
import { lang } from '../../state/prefs';
import { model } from '../../state/session';
import { Partial, summed } from '../../ui/absent';
import { Failed, Loading, Select } from '../../ui/states';

/** What weights and context cost, with the sum worked out. */
export function MemoryView() {
  const answer = useAnswer('memory', model.value ? { model: model.value.model, lang: lang.value } : null);
  if (answer.error) return <Failed error={answer.error} retry={answer.retry} />;
  if (!answer.data) return <Loading />;
  return (
    <div class="memory">
      <Cache key={answer.data.model} memory={answer.data} />
      <Weights memory={answer.data} />
    </div>
  );
}

function Cache({ memory }: { memory: Memory }) {
  const { cache } = memory;
  const steps = contexts(cache?.trained_context ?? null);
  const trained = cache?.trained_context == null ? null : Number(cache.trained_context);
  const begin = Math.max(0, trained === null ? steps.indexOf(8192) : steps.indexOf(Math.min(trained, 8192)));
  const [index, setIndex] = useState(begin);
  const [k, setK] = useState('F16');
  const [v, setV] = useState('F16');
  if (!cache) return <section class="card"><h2>{t('load.cache')}</h2><p class="muted">{t('load.no-cache')}{memory.reason !== null ? `${t('app.colon')}${plain(memory.reason)}` : t('app.stop')}</p>{memory.reason === null && <Partial what="cache" />}</section>;
  const n = steps[Math.min(index, steps.length - 1)] ?? 512;
  const bits = (name: string) => cache.types.find((x) => x.name === name)?.bits ?? 16;
  const total = totalCache(cache.kinds, n, bits(k), bits(v));
  // Beside each other sizes are drawn and rounded; that floats hold them to sixteen digits is enough.
  const weights = Number(memory.weights.total);
  const { sizing } = memory.weights;
  const partial = model.value?.read.tensors.state !== 'whole';
  const options = cache.types.map((x) => [x.name, x.name] as const);
  return (
    <section class="card cache" aria-label={t('load.cache')}>
      <h2>{t('load.cache')}</h2>
      <div class="cache-set">
        <label class="cache-slider">
          <span class="muted">{t('load.context')}</span>
          <input type="range" min={0} max={steps.length - 1} step={1} value={index} aria-label={t('load.slider')} aria-valuetext={`${count(n)} ${t('load.tokens')}`} onInput={(e) => setIndex(Number(e.currentTarget.value))} />
          <output><b>{count(n)}</b> {t('load.tokens')}</output>
        </label>
        <p class="hint cache-hint">{trained !== null && t('load.trained', { n: count(trained) })}{trained !== null && n > trained && <span class="warn"> · {t('load.beyond-trained')}</span>}</p>
        <Select label={t('load.cache-k')} value={k} options={options} onChange={setK} />
        <Select label={t('load.cache-v')} value={v} options={options} onChange={setV} />
      </div>
      <div class="sum" role="img" aria-label={`${t('load.weights')} ${summed('tensors', sized(weights, sizing))}, ${t('load.cache')} ${size(total)}`}>
        <span class="sum-weights" style={{ flexGrow: weights }} />
        <span class="sum-cache" style={{ flexGrow: total }} />
      </div>
      <dl class="figures">
        <div><dt><i class="dot bg-tensor" />{t('load.weights')}</dt><dd>{summed('tensors', sized(weights, sizing))}</dd></div>
        <div><dt><i class="dot bg-accent" />{t('load.cache')}</dt><dd>{size(total)}</dd></div>
        <div><dt>{t('load.total')}</dt><dd>{partial ? t('reach.at-least', { text: size(sizing === 'exact' ? weights + total : total) }) : sized(weights + total, sizing)}</dd></div>
      </dl>
      <h3>{t('load.formula')}</h3>
      {cache.kinds.map((kind) => <Formula kind={kind} n={n} k={bits(k)} v={bits(v)} />)}
    </section>
  );
}

/** A factor of the formula: the number, and under it what it is. */
function Factor({ value, name }: { value: string; name: string }) {
  return <span class="factor"><b>{value}</b><small>{name}</small></span>;
}

function Formula({ kind, n, k, v }: { kind: CacheKind; n: number; k: number; v: number }) {
  const rows = Number(kind.k_row) > 0 || Number(kind.v_row) > 0;
  const bytes = cacheBytes(kind, n, k, v);
  return (
    <div class="formula">
      <p><b>{plain(kind.name)}</b></p>
      <p class="equation">
        {rows && (
          <>
            <Factor value={count(kind.layers)} name={t('load.layers')} />
            <i>×</i>
            <Factor value={kind.window !== null && Number(kind.window) < n ? `min(${count(n)}, ${count(kind.window)})` : count(kept(kind, n))} name={kind.window !== null ? t('load.kept') : t('load.tokens')} />
            <i>× (</i>
            <Factor value={count(kind.k_row)} name={t('load.krow')} />
            <i>×</i>
            <Factor value={num(k / 8, 4)} name={t('load.bytes-each')} />
            <i>+</i>
            <Factor value={count(kind.v_row)} name={t('load.vrow')} />
            <i>×</i>
            <Factor value={num(v / 8, 4)} name={t('load.bytes-each')} />
            <i>)</i>
          </>
        )}
        {Number(kind.fixed) > 0 && <>{rows && <i>+</i>}<Factor value={size(kind.fixed)} name={t('load.fixed')} /></>}
        <i>=</i>
        <Factor value={size(bytes)} name={bytes < Number.MAX_SAFE_INTEGER ? `${count(Math.round(bytes))} B` : ''} />
      </p>
      {kind.terms.length > 0 && (
        <ul class="terms">
          {kind.terms.map((term) => <li><span>{plain(term.name)}</span> <b>{plain(term.value)}</b> <span class="mono small muted">{plain(term.from)}</span></li>)}
        </ul>
      )}
    </div>
  );
}

function Weights({ memory }: { memory: Memory }) {
  const { total, sizing, by_type, by_layer } = memory.weights;
  const types = [...by_type].sort((a, b) => Number(b.bytes) - Number(a.bytes));
  const most = Math.max(1, ...by_layer.map((l) => Number(l.bytes)));
  const layers = by_layer.filter((l) => l.layer !== null);
  const others = by_layer.filter((l) => l.layer === null);
  return (
    <section class="card" aria-label={t('load.weights')}>
      <h2>{t('load.weights')} <span class="muted">{summed('tensors', sized(total, sizing))}</span></h2>
      <Partial what={memory.weights.by_type.length > 0 ? 'more-tensors' : 'tensors'} />
      <h3>{t('load.by-type')}</h3>
      <ul class="bars">
        {types.map((x) => (
          <li>
            <span class="bars-name mono">{plain(x.type)}</span>
            <span class="bars-bar"><i class={`bg-${typeColour(x.type)}`} style={{ width: `${(Number(x.bytes) / Math.max(1, Number(types[0]?.bytes ?? 1))) * 100}%` }} /></span>
            <span class="bars-figure">{sized(x.bytes, x.sizing)}</span>
            <span class="bars-note muted">{sizing === 'exact' && `${share(Number(x.bytes), Number(total))} · `}{t('load.tensors', { count: x.tensors })}</span>
          </li>
        ))}
      </ul>
      <h3>{t('load.by-layer')}</h3>
      <ul class={`bars ${layers.length > 24 ? 'dense' : ''}`}>
        {[...others, ...layers].map((x) => (
          <li title={`${x.layer === null ? t('load.other-layers') : t('load.layer-n', { n: count(x.layer) })}: ${sized(x.bytes, x.sizing)}`}>
            <span class="bars-name">{x.layer === null ? t('load.other-layers') : t('load.layer-n', { n: count(x.layer) })}</span>
            <span class="bars-bar"><i class={x.layer === null ? 'bg-tensor-info' : 'bg-tensor'} style={{ width: `${(Number(x.bytes) / most) * 100}%` }} /></span>
            <span class="bars-figure">{sized(x.bytes, x.sizing)}</span>
            <span class="bars-note muted">{t('load.tensors', { count: x.tensors })}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
