import { useMemo, useRef } from 'preact/hooks';
import type { Region, Sizing } from '../backend/questions';
import { fromAxis, regionIndex, segmentV, segmentX, stripSegments, toAxis } from '../lib/axis';
import { kindColour } from '../lib/colour';
import { plain } from '../lib/escape';
import { stepOf } from '../lib/keys';
import { count, hex, num, short, size as bytes } from '../lib/format';
import { t, tOr } from '../i18n';
import { useAnswer } from '../backend/answers';
import { lang, palette } from '../state/prefs';
import { hover, hovered, select, selected, type Spot } from '../state/selection';
import { axis, files, isWhole, model, mapOf, maps, regionOf, selectRegion } from '../state/session';
import { mapWindow } from '../panes/map/window';
import { pane } from '../state/route';
import { useDrawing } from './canvas';
import { useSize } from './hooks';
import { Raw } from './text';

const height = 34;

/** The file as a strip, above every pane: what is selected anywhere lights up here. */
export function Strip() {
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const line = axis.value;
  const width = size.width;
  const segments = useMemo(() => stripSegments(line, width), [line, width]);
  const colour = palette.value;
  const all = maps.value;

  useDrawing(canvas, width, height, (c) => {
    for (const map of all) {
      let done = -1;
      for (const [i, r] of map.regions.entries()) {
        const a = segmentX(segments, toAxis(line, map.file, r.start) ?? 0);
        const v1 = toAxis(line, map.file, r.end) ?? 0;
        // The end of a part is the begin of the next one, but not where the next one begins another segment.
        const b = Math.max(segmentX(segments, Math.max(v1 - 1e-6, 0)), a);
        if (b - done < 0.4 && r.kind !== 'unread') continue;
        const x = Math.max(a, done);
        c.fillStyle = colour(kindColour(r.kind));
        const gap = b - a > 4 ? 1 : 0;
        c.globalAlpha = i % 2 ? 0.84 : 1;
        c.fillRect(x, 0, Math.max(b - x - gap, 0.6), height);
        c.globalAlpha = 1;
        done = b;
      }
    }
    const soft = colour('surface');
    c.fillStyle = soft;
    for (const s of segments.slice(1)) c.fillRect(s.x0 - 1.5, 0, 3, height);
    // Where a file of a set ends and the next one begins.
    for (const { base } of line.parts.slice(1)) {
      const x = segmentX(segments, base);
      c.fillStyle = soft;
      c.fillRect(x - 3, 0, 6, height);
      c.fillStyle = colour('ink');
      c.fillRect(x - 0.75, 0, 1.5, height);
    }
  }, [segments, all, colour]);

  const spotAt = (event: PointerEvent | MouseEvent): { file: number; region: Region } | null => {
    const rect = event.currentTarget instanceof Element ? event.currentTarget.getBoundingClientRect() : null;
    if (!rect) return null;
    const place = fromAxis(line, segmentV(segments, event.clientX - rect.left));
    const region = place ? regionOf({ file: place.file, start: place.at }) : null;
    return place && region ? { file: place.file, region } : null;
  };

  const span = (spot: Spot | null, least: number) => {
    if (!spot || segments.length === 0) return null;
    const v0 = toAxis(line, spot.file, spot.start);
    const v1 = toAxis(line, spot.file, spot.end);
    if (v0 === null || v1 === null) return null;
    const a = segmentX(segments, v0);
    const b = Math.max(a + least, segmentX(segments, Math.max(v0, v1 - 1e-6)));
    return { left: `${Math.min(a, width - least)}px`, width: `${b - a}px` };
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event.key);
    if (step === undefined) return;
    event.preventDefault();
    const at = selected.value ?? { file: files.value[0]?.file ?? 0, start: 0 };
    const list = files.value.map((f) => f.file);
    const map = mapOf(at.file);
    if (!map) return;
    let index = selected.value ? regionIndex(map.regions, at.start) + step : 0;
    let target = map;
    if (index < 0 || index >= map.regions.length) {
      const next = mapOf(list[list.indexOf(map.file) + Math.sign(step)] ?? -1);
      if (next && Number.isFinite(step)) {
        target = next;
        index = step < 0 ? next.regions.length - 1 : 0;
      }
    }
    const region = target.regions[Math.min(Math.max(index, 0), target.regions.length - 1)];
    if (region) selectRegion(target.file, region);
  };

  const window = pane.value === 'map' ? mapWindow.value : null;
  const heads = line.parts.reduce((n, p) => n + p.dataStart, 0);
  const headWidth = segments[0] && line.parts.length === 1 ? segments[0].x1 : 0;
  return (
    <div class="strip">
      <div
        class="strip-box"
        ref={box}
        tabIndex={0}
        role="application"
        aria-label={t('app.strip')}
        aria-describedby="readout"
        onKeyDown={onKeyDown}
        onPointerMove={(event) => {
          const hit = spotAt(event);
          hover(hit && { file: hit.file, start: hit.region.start, end: hit.region.end, path: hit.region.path });
        }}
        onPointerLeave={() => hover(null)}
        onClick={(event) => {
          const hit = spotAt(event);
          if (hit) selectRegion(hit.file, hit.region);
          else select(null);
        }}
      >
        <canvas ref={canvas} class="strip-canvas" aria-hidden="true" />
        {window && <div class="strip-window" style={{ left: `${segmentX(segments, window[0])}px`, width: `${Math.max(3, segmentX(segments, window[1] - 1e-6) - segmentX(segments, window[0]))}px` }} />}
        <div class="strip-hover" hidden={!hovered.value} style={span(hovered.value, 2) ?? {}} />
        <div class="strip-mark" hidden={!selected.value} style={span(selected.value, 3) ?? {}} />
      </div>
      {headWidth > 90 && width > 420 && files.value.every((f) => f.head_end !== null) && (
        <div class="strip-legend" aria-hidden="true">
          <span style={{ width: `${headWidth}px` }}>{t('app.head')} <b>{bytes(heads)}</b></span>
          <span>{t('app.data')} <b>{bytes(line.total - heads)}</b></span>
        </div>
      )}
      <Readout />
    </div>
  );
}

/** What is under the pointer, or else what is selected, in one line. */
function Readout() {
  const spot = hovered.value ?? selected.value;
  const region = spot ? regionOf(spot) : null;
  const many = files.value.length > 1;
  return (
    <div id="readout" class={`readout ${hovered.value ? 'hovering' : ''}`} aria-live="polite">
      {!spot && <Overview />}
      {spot && (
        <>
          {region && <i class={`dot bg-${region.kind}`} />}
          <span class="readout-name">
            {region?.name ? <Raw text={region.name} /> : region ? tOr(`kind.${region.kind}`, region.kind) : (spot.path ?? '')}
          </span>
          <span class="readout-kind">{region?.name ? tOr(`kind.${region.kind}`, region.kind) : ''}</span>
          {many && <span class="readout-file">{plain(files.value.find((f) => f.file === spot.file)?.name ?? '')}</span>}
          <span class="mono">{hex(spot.start)}–{hex(spot.end)}</span>
          <span class="readout-size">{bytes(spot.end - spot.start)}</span>
          <span class="readout-path mono">{plain(spot.path ?? region?.path ?? '')}</span>
        </>
      )}
    </div>
  );
}

interface Shown {
  architecture?: string | null;
  name?: string | null;
  parameters?: { total?: number | null } | null;
  quantization?: { bits_per_weight?: number | null; mix?: { size_known: Sizing }[]; resembles?: string | null; dominant?: string | null } | null;
  figures?: { layers?: number | null; context_length?: number | null } | null;
}

/** With nothing selected: what the model is, in one line. */
function Overview() {
  const answer = useAnswer('show', model.value ? { model: model.value.model, lang: lang.value } : null);
  const d = answer.data as Shown | undefined;
  if (!d) return null;
  const whole = model.value !== null && isWhole(model.value.model, 'tensors');
  const facts = [
    d.architecture && plain(d.architecture),
    // Of some of the tensors it would be another model's.
    whole && d.parameters?.total ? t('app.parameters', { n: short(d.parameters.total) }) : null,
    d.figures?.layers ? t('app.layers', { count: d.figures.layers }) : null,
    whole ? (d.quantization?.resembles ?? d.quantization?.dominant ?? null) : null,
    whole && d.quantization?.bits_per_weight && d.quantization.mix?.every((x) => x.size_known === 'exact') ? t('app.bits', { n: num(d.quantization.bits_per_weight, 3) }) : null,
    d.figures?.context_length ? t('app.context', { n: count(d.figures.context_length) }) : null,
  ].filter((f): f is string => typeof f === 'string' && f !== '');
  return (
    <span class="overview">
      {typeof d.name === 'string' && <b><Raw text={d.name} /></b>} <span class="muted">{facts.map((f) => plain(f)).join(' · ')}</span>
    </span>
  );
}
