import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Region } from '../../backend/questions';
import { t, tOr } from '../../i18n';
import { fromAxis, toAxis } from '../../lib/axis';
import { plain } from '../../lib/escape';
import { ownNames } from '../../lib/names';
import { typeColour, type Colouring } from '../../lib/colour';
import { count, hex, size as bytes } from '../../lib/format';
import { reducedMotion, scheme } from '../../state/prefs';
import { setView, view } from '../../state/route';
import { hover, selected } from '../../state/selection';
import { axis, files, maps, selectRegion } from '../../state/session';
import { Grid, type Column } from '../../ui/grid';
import { useDelayed } from '../../ui/hooks';
import { Choice, Empty, Intro, Loading, Search } from '../../ui/states';
import { Raw } from '../../ui/text';
import { MapCanvas } from './canvas';
import { Legend } from './legend';
import { clampWindow, linear, logarithmic, mapWindow } from './window';

interface Row {
  file: number;
  region: Region;
}

/** The file to scale, and its parts as a table. */
export function MapPane() {
  const line = axis.value;
  const logged = view.value.scale !== 'linear';
  const scale = logged ? logarithmic : linear;
  const colouring: Colouring = (['kind', 'layer', 'type'] as const).find((c) => c === view.value.colour) ?? 'kind';
  const whole = scale.to(line.total);
  const [window, setNow] = useState<readonly [number, number]>([0, whole]);
  const animation = useRef(0);

  // Another scale, or another model: the same bytes stay in view where there are any.
  const was = useRef({ scale, total: line.total });
  useEffect(() => {
    const [a, b] = window;
    const old = was.current;
    if (old.total !== line.total) setNow([0, whole]);
    else if (old.scale !== scale) setNow(clampWindow([scale.to(old.scale.from(a)), scale.to(old.scale.from(b))], whole, 1e-9));
    was.current = { scale, total: line.total };
  }, [scale, line.total]);

  const setWindow = (next: readonly [number, number], smooth = false) => {
    cancelAnimationFrame(animation.current);
    if (!smooth || reducedMotion.value) {
      setNow(next);
      return;
    }
    const from = window;
    const begin = performance.now();
    const frame = (now: number) => {
      const p = Math.min(1, (now - begin) / 220);
      const e = 1 - (1 - p) ** 3;
      setNow([from[0] + (next[0] - from[0]) * e, from[1] + (next[1] - from[1]) * e]);
      if (p < 1) animation.current = requestAnimationFrame(frame);
    };
    animation.current = requestAnimationFrame(frame);
  };

  const shown: [number, number] = [Math.max(0, scale.from(window[0])), Math.min(line.total, scale.from(window[1]))];
  const all = window[1] - window[0] >= whole * 0.999;
  useEffect(() => {
    mapWindow.value = all ? null : shown;
  }, [window, all]);
  useEffect(() => () => {
    cancelAnimationFrame(animation.current);
    mapWindow.value = null;
  }, []);

  const zoomBy = (factor: number) => {
    const spot = selected.value;
    const mark = spot && toAxis(line, spot.file, spot.start);
    const middle = (window[0] + window[1]) / 2;
    const inside = mark != null && scale.to(mark) >= window[0] && scale.to(mark) <= window[1];
    const at = inside ? scale.to(mark) : middle;
    const half = ((window[1] - window[0]) / 2) * factor;
    setWindow(clampWindow([at - half, at + half], whole, scale.to(scale.from(at) + 12) - at), true);
  };
  const toSelected = () => {
    const spot = selected.value;
    if (!spot) return;
    const a = scale.to(toAxis(line, spot.file, spot.start) ?? 0);
    const b = scale.to(toAxis(line, spot.file, spot.end) ?? 0);
    const room = Math.max((b - a) * 0.25, 1e-12);
    setWindow(clampWindow([a - room, b + room], whole, scale.to(scale.from(a) + 24) - a), true);
  };

  const layers = useMemo(() => maps.value.reduce((n, m) => m.regions.reduce((k, r) => Math.max(k, Number(r.layer ?? -1) + 1), n), 0), [maps.value]);
  const types = useMemo(() => {
    const found = new Set<string>();
    for (const m of maps.value) for (const r of m.regions) if (r.kind === 'tensor' && r.type) found.add(r.type);
    return [...found].sort((a, b) => typeColour(b).localeCompare(typeColour(a)));
  }, [maps.value]);

  const names = useMemo(() => ownNames(files.value.map((f) => f.name)), [files.value]);
  // Positions count from the begin of their file.
  const place = (v: number) => {
    const at = fromAxis(line, v);
    if (!at) return hex(0);
    const base = toAxis(line, at.file, 0) ?? 0;
    const number = files.value.findIndex((f) => f.file === at.file);
    return `${hex(Math.round(Math.min(v - base, at.at + 1)))}${names.length > 1 ? ` (${plain(names[number] ?? '')})` : ''}`;
  };
  if (maps.value.length === 0) return <Loading />;
  const folds = maps.value.reduce((n, m) => n + m.folded, 0);
  return (
    <>
      <Intro pane="map" />
      <div class="bar">
        <Choice label={t('map.scale')} value={logged ? 'log' : 'linear'} options={[['log', t('map.log')], ['linear', t('map.linear')]]} onChange={(s) => setView({ scale: s === 'log' ? null : s })} />
        <Choice label={t('map.colour')} value={colouring} options={[['kind', t('map.by-kind')], ['layer', t('map.by-layer')], ['type', t('map.by-type')]]} onChange={(c) => setView({ colour: c === 'kind' ? null : c })} />
        <span class="bar-room" />
        <div class="choice">
          <button type="button" aria-label={t('map.zoomOut')} title={t('map.zoomOut')} onClick={() => zoomBy(2)}>−</button>
          <button type="button" aria-label={t('map.zoomIn')} title={t('map.zoomIn')} onClick={() => zoomBy(0.5)}>+</button>
          <button type="button" onClick={() => setWindow([0, whole], true)}>{t('map.fit')}</button>
          <button type="button" disabled={!selected.value} onClick={toSelected}>{t('map.toSelected')}</button>
        </div>
      </div>
      <section class="map" aria-label={t('map.title')}>
        <MapCanvas scale={scale} colouring={colouring} layers={layers} window={window} setWindow={setWindow} />
        <div class="map-foot">
          <Legend colouring={colouring} types={types} layers={layers} dark={scheme.value === 'dark'} />
          <p class="hint">
            {all ? t(files.value.length > 1 ? 'map.hint-set' : 'map.hint') : t('map.window', { from: place(shown[0]), to: place(shown[1]), size: bytes(Math.ceil(shown[1]) - Math.floor(shown[0])) })}
            {folds > 0 && ` ${t('map.folded', { n: count(folds) })}`}
          </p>
        </div>
      </section>
      <Parts />
    </>
  );
}

/** What tells a file from the others of its set; the whole name under the pointer. */
function fileName(file: number, names: readonly string[]) {
  const number = files.value.findIndex((f) => f.file === file);
  return <span title={plain(files.value[number]?.name ?? '')}><Raw text={names[number] ?? ''} /></span>;
}

/** The same as a table: for reading, and for whom a drawing says nothing. */
function Parts() {
  const [find, setFind] = useState('');
  const wanted = useDelayed(find.trim().toLowerCase());
  const rows = useMemo(() => {
    const out: Row[] = [];
    for (const m of maps.value) {
      for (const region of m.regions) {
        if (wanted && !`${region.name ?? ''} ${region.path} ${region.type ?? ''} ${region.kind}`.toLowerCase().includes(wanted)) continue;
        out.push({ file: m.file, region });
      }
    }
    return out;
  }, [maps.value, wanted]);
  const spot = selected.value;
  const current = useMemo(() => {
    if (!spot) return null;
    const i = rows.findIndex((r) => r.file === spot.file && r.region.start <= spot.start && r.region.end > spot.start);
    return i < 0 ? null : i;
  }, [rows, spot]);
  const total = maps.value.reduce((n, m) => n + m.regions.length, 0);
  const many = files.value.length > 1;
  const names = useMemo(() => ownNames(files.value.map((f) => f.name)), [files.value]);
  const columns: Column<Row>[] = [
    {
      id: 'name', label: t('map.name'), width: 'minmax(9rem, 2.4fr)',
      cell: ({ region: r }) => <><i class={`dot bg-${r.kind}`} />{r.name ? <Raw text={r.name} /> : tOr(`kind.${r.kind}`, r.kind)}{r.more ? <span class="badge">+ {count(r.more)}</span> : null}</>,
    },
    { id: 'kind', label: t('map.by-kind'), width: '7.5rem', min: 620, cell: ({ region: r }) => (<span class="muted">{tOr(`kind.${r.kind}`, r.kind)}</span>) },
    { id: 'type', label: t('tag.type'), width: '6.5rem', min: 520, cell: ({ region: r }) => <span class="mono small">{r.type ?? ''}</span> },
    ...(many ? [{ id: 'file', label: t('app.file'), width: 'minmax(4rem, 1fr)', min: 760, cell: ({ file }: Row) => fileName(file, names) }] : []),
    { id: 'offset', label: t('tag.offset'), width: '7rem', number: true, min: 330, cell: ({ region: r }) => <span class="mono">{hex(r.start)}</span> },
    { id: 'size', label: t('tensors.size'), width: '6rem', number: true, cell: ({ region: r }) => bytes(r.end - r.start) },
  ];
  return (
    <section class="fill" aria-label={t('map.table')}>
      <div class="bar">
        <Search label={t('map.filter')} value={find} onInput={setFind} />
        <span class="muted">{wanted ? t('map.of', { n: count(rows.length), total: count(total) }) : t('map.parts', { count: total })}</span>
      </div>
      <Grid
        label={t('map.table')}
        columns={columns}
        rows={rows.length}
        row={(i) => rows[i]}
        current={current}
        onSelect={(_, r) => selectRegion(r.file, r.region)}
        onHover={(_, r) => hover(r ? { file: r.file, start: r.region.start, end: r.region.end, path: r.region.path } : null)}
        empty={<Empty>{t(total === 0 ? 'state.empty-file' : 'state.nothing')}</Empty>}
      />
    </section>
  );
}
