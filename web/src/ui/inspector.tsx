import { useMemo, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { useEntries, useTensors } from '../backend/lists';
import { fieldAt, usePieces } from '../backend/bytes';
import { t, tOr } from '../i18n';
import { entryAt, tensorAt } from '../lib/find';
import { count, hex, num, shape, share, size as bytes } from '../lib/format';
import { lang } from '../state/prefs';
import { formatRoute, go, pane, type Pane } from '../state/route';
import { select, selected, type Spot } from '../state/selection';
import { fileHead, files, maps, model, selectedRegion, selectRegion } from '../state/session';
import type { Region, RegionKind } from '../backend/questions';
import { plain } from '../lib/escape';
import { Manual } from './manual';
import { RawBytes } from './rawbytes';
import { Raw } from './text';

/** What is selected, in full, beside every pane; and the way to it in the others. */
export function Inspector() {
  const [open, setOpen] = useState(false);
  const spot = selected.value;
  const region = selectedRegion.value;
  return (
    <aside class={`inspector ${open ? 'open' : ''}`} aria-label={t('sel.title')}>
      <button type="button" class="inspector-toggle" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? t('sel.close') : t('sel.open')}
      </button>
      <div class="inspector-body" tabIndex={0} role="region" aria-label={t('sel.title')}>
        {spot ? <Details key={`${spot.file} ${spot.start} ${spot.end}`} spot={spot} region={region} /> : <Nothing />}
      </div>
    </aside>
  );
}

/** With nothing selected: the kinds of parts, how many there are of each, and how large they are together. */
function Nothing() {
  const kinds = useMemo(() => {
    const sums = new Map<RegionKind, { parts: number; bytes: number; file: number; first: Region }>();
    for (const m of maps.value) {
      for (const r of m.regions) {
        const sum = sums.get(r.kind) ?? { parts: 0, bytes: 0, file: m.file, first: r };
        sum.parts += 1 + (r.more ?? 0);
        sum.bytes += r.end - r.start;
        sums.set(r.kind, sum);
      }
    }
    return [...sums];
  }, [maps.value]);
  const total = kinds.reduce((n, [, k]) => n + k.bytes, 0);
  return (
    <>
      <h2>{t('sel.consists')}</h2>
      <ul class="consists">
        {kinds.map(([kind, k]) => (
          <li>
            <button type="button" onClick={() => selectRegion(k.file, k.first)}>
              <i class={`dot bg-${kind}`} />
              <span>{tOr(`kind.${kind}`, kind)} {k.parts > 1 && <span class="muted">× {count(k.parts)}</span>}</span>
              <b>{bytes(k.bytes)}</b>
              <span class="muted">{share(k.bytes, total)}</span>
            </button>
          </li>
        ))}
      </ul>
      <p class="hint">{t('sel.none')}</p>
    </>
  );
}

function Line({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="line">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Details({ spot, region }: { spot: Spot; region: Region | null }) {
  const head = fileHead(spot.file);
  const size = head?.size ?? 0;
  usePieces(spot.file, spot.start, Math.min(spot.end, spot.start + 64), size, lang.value);
  const field = fieldAt(spot.file, spot.start, size, lang.value);
  const whole = region !== null && region.start === spot.start && region.end === spot.end;
  const entries = useEntries(region?.kind === 'metadata' ? (model.value?.model ?? null) : null, lang.value);
  const tensors = useTensors(region?.kind === 'tensor' || region?.kind === 'tensor-info' ? (model.value?.model ?? null) : null);
  const entry = region?.kind === 'metadata' ? entryAt(entries.rows, spot) : undefined;
  const tensor = region && (region.kind === 'tensor' || region.kind === 'tensor-info') ? tensorAt(tensors.rows, spot) : undefined;

  return (
    <>
      <header class="sel-head">
        {region && <i class={`dot bg-${region.kind}`} />}
        <span class="sel-kind">{region ? tOr(`kind.${region.kind}`, region.kind) : ''}</span>
        <h2>{region?.name ? <Raw text={region.name} /> : region ? tOr(`kind.${region.kind}`, region.kind) : hex(spot.start)}</h2>
      </header>
      {!whole && field && (
        <section class="sel-field">
          <h3><i class={`tick bg-${fieldToneOf(field.kind)}`} />{tOr(`field.${field.kind}`, field.kind)} <span class="mono small">{field.path}</span></h3>
          <dl>
            {field.value !== undefined && field.value !== '' && <Line name={t('sel.value')}><Raw text={field.value.slice(0, 600)} class="strong" /></Line>}
            {field.type && <Line name={t('sel.type')}><span class="mono">{field.type}</span></Line>}
            {field.meaning && <Line name={t('sel.meaning')}>{field.meaning}</Line>}
          </dl>
          {region && <button type="button" class="link" onClick={() => selectRegion(spot.file, region)}>{t('sel.whole')}</button>}
        </section>
      )}
      <dl>
        {files.value.length > 1 && head && <Line name={t('app.file')}><Raw text={head.name} /></Line>}
        <Line name={t('sel.span')}>
          <button type="button" class="link mono" onClick={() => go('bytes')}>{hex(spot.start)}–{hex(spot.end)}</button>
        </Line>
        <Line name={t('sel.size')}>{region?.kind === 'tensor' && tensor && tensor.sizing !== 'exact' ? '≤ ' : ''}{bytes(spot.end - spot.start)}{spot.end - spot.start >= 1024 && <span class="muted"> · {count(spot.end - spot.start)} B</span>}</Line>
        {whole && size > 0 && (!tensor || tensor.sizing === 'exact') && <Line name={t('sel.share')}>{share(spot.end - spot.start, size)}</Line>}
        {whole && entry && (
          <>
            <Line name={t('sel.type')}><span class="mono">{entry.type}</span></Line>
            <Line name={t('sel.value')}>
              <div class="sel-value"><Raw text={entry.value} lines />{entry.cut && ' …'}</div>
              {entry.says && <div class="muted"><Raw text={entry.says} /></div>}
              {(entry.count !== null || entry.cut) && (
                <button type="button" class="link" onClick={() => go('tag', { show: 'value' })}>{entry.count !== null ? t('sel.all', { n: count(entry.count) }) : t('sel.text')}</button>
              )}
            </Line>
            {entry.meaning && <Line name={t('sel.meaning')}>{entry.meaning}</Line>}
          </>
        )}
        {tensor && whole && (
          <>
            <Line name={t('sel.type')}><span class="mono">{tensor.type}</span></Line>
            <Line name={t('sel.shape')}>{shape(tensor.shape)}</Line>
            {tensor.elements !== null && <Line name={t('sel.elements')}>{count(tensor.elements)}</Line>}
            {tensor.bits_per_weight !== null && <Line name={t('sel.bits')}>{num(tensor.bits_per_weight, 4)}</Line>}
            {tensor.layer !== null && <Line name={t('sel.layer')}>{tensor.layer}</Line>}
          </>
        )}
        <Line name={t('sel.path')}><span class="mono small">{spot.path ?? region?.path ?? ''}</span></Line>
      </dl>
      {tensor && (
        <p class="sel-links">
          {region?.kind === 'tensor' ? (
            <button type="button" class="link" onClick={() => select({ ...tensor.info })}>{t('sel.table')}</button>
          ) : (
            tensor.data && <button type="button" class="link" onClick={() => tensor.data && select({ ...tensor.data })}>{t('sel.todata')}</button>
          )}
        </p>
      )}
      {whole && entry?.meaning && <Manual what={entry.key} label={t('sel.manual', { name: plain(entry.key) })} />}
      {whole && tensor && tensor.sizing === 'exact' && <Manual what={tensor.type} label={t('sel.manual', { name: plain(tensor.type) })} />}
      <h3>{t('sel.raw')}</h3>
      <RawBytes place={spot} />
      <h3>{t('sel.show')}</h3>
      <p class="sel-actions">
        {targets(region).filter((p) => p !== pane.value).map((p) => <button type="button" class="button small" onClick={() => go(p)}>{t(`pane.${p}`)}</button>)}
        <CopyLink spot={spot} />
      </p>
    </>
  );
}

function fieldToneOf(kind: string): string {
  return { length: 'f-length', count: 'f-length', dim: 'f-length', type: 'f-type', magic: 'f-type', version: 'f-type', key: 'f-name', name: 'f-name', padding: 'f-none', offset: 'f-offset' }[kind] ?? 'f-value';
}

function targets(region: Region | null): Pane[] {
  const out: Pane[] = ['map', 'bytes'];
  if (region?.kind === 'metadata') out.push('tag', 'walk');
  if (region?.kind === 'header' || region?.kind === 'tensor-info') out.push('walk');
  if (region?.kind === 'tensor' || region?.kind === 'tensor-info') out.push('tensors');
  return out;
}

function CopyLink({ spot }: { spot: Spot }) {
  const [done, setDone] = useState(false);
  return (
    <button
      type="button"
      class="button small"
      onClick={() => {
        const link = location.href.replace(/#.*$/, '') + formatRoute({ pane: pane.value, place: spot, view: {} });
        navigator.clipboard?.writeText(link).then(() => {
          setDone(true);
          setTimeout(() => setDone(false), 1500);
        }, () => {});
      }}
    >
      <span aria-live="polite">{done ? t('sel.copied') : t('sel.link')}</span>
    </button>
  );
}
