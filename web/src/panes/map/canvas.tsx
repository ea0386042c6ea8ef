import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { FileMap, Region } from '../../backend/questions';
import { byteAt, fieldAt, usePieces } from '../../backend/bytes';
import { t, tOr } from '../../i18n';
import { fromAxis, regionIndex, toAxis } from '../../lib/axis';
import { fieldTone, regionColour, type Colouring } from '../../lib/colour';
import { plain } from '../../lib/escape';
import { hex, size as bytes } from '../../lib/format';
import { lang, palette, reducedMotion, scheme } from '../../state/prefs';
import { hover, hovered, select, selected, type Spot } from '../../state/selection';
import { axis, fileHead, mapOf, maps, regionOf, selectRegion } from '../../state/session';
import { hatch, useDrawing } from '../../ui/canvas';
import { useActive, useSize } from '../../ui/hooks';
import { clampWindow, marks, zoomWindow, type Mark, type Scale } from './window';

interface Props {
  scale: Scale;
  colouring: Colouring;
  layers: number;
  window: readonly [number, number];
  setWindow: (next: readonly [number, number], smooth?: boolean) => void;
}

const ruler = 24;
const fieldLane = 34;
const byteLane = 40;
const small = 64;
export const mapHeight = ruler + small + 4 + fieldLane + 2 + byteLane;
const large = mapHeight - ruler - 4;
const fieldsTop = ruler + small + 4;
const bytesTop = fieldsTop + fieldLane + 2;

/** The drawing of the map: parts, and where there is room, fields and bytes. */
export function MapCanvas({ scale, colouring, layers, window, setWindow }: Props) {
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const line = axis.value;
  const width = size.width;
  const [u0, u1] = window;
  const whole = scale.to(line.total);
  const least = Math.min(whole, scale.to(Math.max(0, scale.from(u0)) + 12) - u0);
  const x = (v: number) => ((scale.to(v) - u0) / (u1 - u0)) * width;
  const v = (px: number) => scale.from(u0 + (px / width) * (u1 - u0));

  // Fields are drawn where a byte is wide enough to be told; on the logarithmic scale that is the front of what is seen.
  const near = useMemo(() => {
    if (width === 0) return null;
    const from = Math.max(0, Math.floor(scale.from(u0)));
    const until = Math.min(line.total, Math.ceil(scale.from(u1)));
    let lo = from;
    let hi = Math.min(until, from + 16384);
    const wide = (at: number) => ((scale.to(at + 1) - scale.to(at)) / (u1 - u0)) * width >= 1.2;
    if (!wide(from)) return null;
    while (lo < hi) {
      const mid = Math.ceil((lo + hi) / 2);
      if (wide(mid)) lo = mid;
      else hi = mid - 1;
    }
    const a = fromAxis(line, from);
    return a && lo > from ? { file: a.file, start: a.at, end: Math.min(a.at + (lo - from), fileHead(a.file)?.size ?? 0), base: from - a.at } : null;
  }, [line, scale, u0, u1, width]);
  // Parts have the whole height until there are fields to draw.
  const lane = near && (near.end - near.start >= 16 || scale.from(u1) - scale.from(u0) < 64) ? small : large;
  const nearSize = near ? (fileHead(near.file)?.size ?? 0) : 0;
  const pieces = usePieces(near?.file ?? 0, near?.start ?? 0, near?.end ?? 0, nearSize, lang.value);

  const colour = palette.value;
  const dark = scheme.value === 'dark';
  const spot = selected.value;
  const under = hovered.value;
  const all = maps.value;

  useDrawing(canvas, width, mapHeight, (c) => {
    const mono = '11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';
    const sans = '12px system-ui, sans-serif';
    drawRuler(c, marks(line, scale, window, width, 84), width, x, colour, mono);
    for (const map of all) {
      const base = toAxis(line, map.file, 0) ?? 0;
      drawRegions(c, map, base, { x, v, width }, (r) => regionColour(r, colouring, layers, dark, colour), colour, sans, lane);
    }
    for (const { base } of line.parts.slice(1)) drawBorder(c, x(base), width, colour);
    if (lane === small && near) drawFields(c, near, nearSize, x, colour, mono, dark);
    for (const [s, name, wide] of [[under, 'ink', 1.5], [spot, 'accent', 2.5]] as const) {
      const mark = s && span(s);
      if (!mark) continue;
      const a = Math.max(x(mark[0]), -4);
      const b = Math.min(x(mark[1]), width + 4);
      if (b < -4 || a > width + 4) continue;
      c.strokeStyle = colour(name);
      c.lineWidth = wide;
      const w = Math.max(b - a, 2);
      c.strokeRect(a + wide / 2, ruler - 2 + wide / 2, Math.max(w - wide, 0.5), lane + 4 - wide);
      if (name === 'accent' && w < 8) {
        c.fillStyle = colour(name);
        c.beginPath();
        c.moveTo(a + w / 2 - 5, ruler - 9);
        c.lineTo(a + w / 2 + 5, ruler - 9);
        c.lineTo(a + w / 2, ruler - 2);
        c.fill();
      }
    }
  }, [window, colouring, spot, under, all, colour, pieces, near]);

  function span(s: Spot): [number, number] | null {
    const a = toAxis(line, s.file, s.start);
    const b = toAxis(line, s.file, s.end);
    return a === null || b === null ? null : [a, b];
  }

  const place = (event: { clientX: number; clientY: number }) => {
    const rect = canvas.current?.getBoundingClientRect();
    if (!rect) return null;
    const at = fromAxis(line, v(event.clientX - rect.left));
    if (!at) return null;
    const y = event.clientY - rect.top;
    if (near && lane === small && y >= fieldsTop && at.file === near.file && at.at >= near.start && at.at < near.end) {
      const field = fieldAt(at.file, at.at, nearSize, lang.value);
      if (y >= bytesTop && x(near.base + at.at + 1) - x(near.base + at.at) >= 16) return { file: at.file, start: at.at, end: at.at + 1, path: field?.path };
      if (field) return { file: at.file, start: field.start, end: field.end, path: field.path };
    }
    const region = regionOf({ file: at.file, start: at.at });
    return region ? { file: at.file, start: region.start, end: region.end, path: region.path } : null;
  };

  const zoom = (px: number, factor: number, smooth = false) =>
    setWindow(clampWindow(zoomWindow(window, u0 + (px / width) * (u1 - u0), factor), whole, least), smooth);

  const drags = useRef(new Map<number, { x: number; moved: boolean }>());
  useActive(box, 'wheel', (e) => {
    const event = e as WheelEvent;
    event.preventDefault();
    const rect = canvas.current?.getBoundingClientRect();
    if (!rect) return;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = ((event.deltaX || event.deltaY) / width) * (u1 - u0);
      setWindow(clampWindow([u0 + by, u1 + by], whole, least));
    } else {
      const unit = event.deltaMode === 1 ? 24 : 1;
      zoom(event.clientX - rect.left, Math.exp(Math.max(-1, Math.min(1, event.deltaY * unit * 0.0035))));
    }
  });

  const onPointerMove = (event: PointerEvent) => {
    const known = drags.current.get(event.pointerId);
    if (!known) {
      hover(place(event));
      return;
    }
    const others = [...drags.current].filter(([id]) => id !== event.pointerId);
    const before = known.x;
    if (Math.abs(event.clientX - before) > 3) known.moved = true;
    if (!known.moved) return;
    known.x = event.clientX;
    const rect = canvas.current?.getBoundingClientRect();
    const other = others[0]?.[1];
    if (other && rect) {
      const was = Math.abs(before - other.x);
      const is = Math.abs(event.clientX - other.x);
      if (was > 8 && is > 8) zoom((event.clientX + other.x) / 2 - rect.left, was / is);
    } else {
      const by = ((before - event.clientX) / width) * (u1 - u0);
      setWindow(clampWindow([u0 + by, u1 + by], whole, least));
    }
  };

  const end = (event: PointerEvent) => {
    const known = drags.current.get(event.pointerId);
    drags.current.delete(event.pointerId);
    if (known && !known.moved && event.type === 'pointerup') select(place(event));
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = under ?? spot;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const keys: Record<string, () => void> = {
      '+': () => zoom(centre(at), 0.5, true),
      '=': () => zoom(centre(at), 0.5, true),
      '-': () => zoom(centre(at), 2, true),
      '0': () => setWindow([0, whole], true),
      Home: () => setWindow(clampWindow([0, u1 - u0], whole, least), true),
      End: () => setWindow(clampWindow([whole - (u1 - u0), whole], whole, least), true),
      Enter: () => at && select(at),
      ' ': () => at && select(at),
    };
    const act = keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    } else if (step !== undefined) {
      event.preventDefault();
      const file = at?.file ?? all[0]?.file ?? 0;
      const map = mapOf(file);
      if (!map) return;
      const index = at ? regionIndex(map.regions, at.start) + step : 0;
      const r = map.regions[Math.min(Math.max(index, 0), map.regions.length - 1)];
      if (!r) return;
      hover({ file, start: r.start, end: r.end, path: r.path });
      const mark = span({ file, start: r.start, end: r.end });
      if (mark && (x(mark[0]) < 0 || x(mark[1]) > width)) {
        const middle = (scale.to(mark[0]) + scale.to(mark[1])) / 2;
        const half = Math.max((u1 - u0) / 2, scale.to(mark[1]) - scale.to(mark[0]));
        setWindow(clampWindow([middle - half, middle + half], whole, least), true);
      }
    }
  };

  const centre = (at: Spot | null) => {
    const mark = at && span(at);
    const px = mark ? (x(mark[0]) + x(mark[1])) / 2 : width / 2;
    return px >= 0 && px <= width ? px : width / 2;
  };

  useEffect(() => () => hover(null), []);

  return (
    <div
      class="map-box"
      ref={box}
      tabIndex={0}
      role="application"
      aria-label={t('map.canvas')}
      aria-describedby="readout"
      onKeyDown={onKeyDown}
      onBlur={() => hover(null)}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        drags.current.set(event.pointerId, { x: event.clientX, moved: false });
      }}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
      onPointerLeave={() => drags.current.size === 0 && hover(null)}
      onDblClick={(event) => {
        const at = place(event);
        const mark = at && span(at);
        if (!at || !mark) return;
        selectRegionOr(at);
        const a = scale.to(mark[0]);
        const b = scale.to(mark[1]);
        setWindow(clampWindow([a - (b - a) * 0.1, b + (b - a) * 0.1], whole, least), !reducedMotion.value);
      }}
    >
      <canvas ref={canvas} aria-hidden="true" style={{ height: `${mapHeight}px` }} />
    </div>
  );
}

function selectRegionOr(at: Spot): void {
  const region = regionOf(at);
  if (region && region.start === at.start && region.end === at.end) selectRegion(at.file, region);
  else select(at);
}

type X = (v: number) => number;
type Palette = (name: string) => string;

function drawRuler(c: CanvasRenderingContext2D, marks: readonly Mark[], width: number, x: X, colour: Palette, font: string) {
  c.font = font;
  c.fillStyle = colour('muted');
  c.strokeStyle = colour('line-strong');
  c.lineWidth = 1;
  c.textBaseline = 'alphabetic';
  let free = -Infinity;
  for (const { v, at } of marks) {
    const px = Math.round(x(v)) + 0.5;
    c.beginPath();
    c.moveTo(px, ruler - 6);
    c.lineTo(px, ruler - 1);
    c.stroke();
    const text = hex(at, 1);
    const w = c.measureText(text).width;
    const left = Math.max(0, px - (px < w / 2 ? px : w / 2));
    // The first mark of a file may be close to the last of the one before.
    if (px + w >= width || left < free) continue;
    c.fillText(text, left, ruler - 10);
    free = left + w + 8;
  }
}

/** Where a file of a set ends and the next one begins. */
function drawBorder(c: CanvasRenderingContext2D, x: number, width: number, colour: Palette) {
  if (x < -2 || x > width + 2) return;
  c.fillStyle = colour('surface');
  c.fillRect(x - 2.5, ruler - 6, 5, mapHeight);
  c.fillStyle = colour('ink');
  c.fillRect(x - 0.75, ruler - 6, 1.5, mapHeight);
}

function drawRegions(c: CanvasRenderingContext2D, map: FileMap, base: number, view: { x: X; v: (px: number) => number; width: number }, fill: (r: Region) => string, colour: Palette, font: string, lane: number) {
  const { regions } = map;
  const { x, v, width } = view;
  const first = Math.max(0, v(0) - base);
  let i = Math.max(0, regionIndex(regions, Math.min(Math.floor(first), map.size - 1)));
  c.font = font;
  c.textBaseline = 'middle';
  let done = -Infinity;
  while (i < regions.length) {
    const r = regions[i];
    if (!r) break;
    const a = x(base + r.start);
    if (a > width) break;
    const b = x(base + r.end);
    if (b - Math.max(a, done) < 0.5 && b - a < 0.5) {
      // Less than a pixel: on to the part that holds the next pixel.
      const next = regionIndex(regions, Math.floor(v(Math.max(a, 0) + 0.5) - base));
      if (next > i) {
        c.fillStyle = fill(r);
        c.fillRect(a, ruler, 0.6, lane);
        i = next;
        continue;
      }
    }
    const left = Math.max(a, -2);
    const right = Math.min(b, width + 2);
    c.fillStyle = fill(r);
    const w = Math.max(right - left - (b - a > 3 ? 1 : 0), 0.6);
    // Every other part is a little lighter, so that neighbours can be told apart.
    c.globalAlpha = i % 2 ? 0.86 : 1;
    c.fillRect(left, ruler, w, lane);
    c.globalAlpha = 1;
    if (r.kind === 'padding' || r.kind === 'gap' || r.kind === 'unread' || r.kind === 'trailing') hatch(c, left, ruler, w, lane, colour('hatch'));
    if (w > 44) {
      const name = plain(r.name ?? tOr(`kind.${r.kind}`, r.kind));
      c.fillStyle = colour('on-kind');
      label(c, name, left + 6, ruler + lane / 2 - (w > 70 ? 8 : 0), w - 12);
      if (w > 70) {
        c.globalAlpha = 0.8;
        labelWhole(c, `${bytes(r.end - r.start)}${r.kind === 'tensor' && r.type ? ` · ${r.type}` : ''}`, left + 6, ruler + lane / 2 + 9, w - 12);
        c.globalAlpha = 1;
      }
    }
    done = b;
    i++;
  }
}

/** Text in a box, or none where it does not fit. */
function labelWhole(c: CanvasRenderingContext2D, text: string, x: number, y: number, room: number) {
  if (c.measureText(text).width <= room) c.fillText(text, x, y);
}

/** Text in a box: its end where it does not fit, since names of tensors differ there. */
function label(c: CanvasRenderingContext2D, text: string, x: number, y: number, room: number) {
  if (room < 14) return;
  let shown = text;
  if (c.measureText(shown).width > room) {
    let n = Math.max(1, Math.floor((room / c.measureText(text).width) * text.length) - 1);
    while (n > 0 && c.measureText('…' + text.slice(-n)).width > room) n--;
    if (n < 3) return;
    shown = '…' + text.slice(-n);
  }
  c.fillText(shown, x, y);
}

function drawFields(c: CanvasRenderingContext2D, near: { file: number; start: number; end: number; base: number }, size: number, x: X, colour: Palette, font: string, dark: boolean) {
  c.font = font;
  c.textBaseline = 'middle';
  let at = near.start;
  while (at < near.end) {
    const f = fieldAt(near.file, at, size, lang.peek());
    if (!f) {
      at++;
      if (byteAt(near.file, at, size, lang.peek()) === undefined) at = Math.floor(at / 4096) * 4096 + 4096;
      continue;
    }
    const a = x(near.base + Math.max(f.start, near.start));
    const b = x(near.base + Math.min(f.end, near.end));
    if (b - a > 0.7) {
      c.fillStyle = colour(fieldTone(f));
      c.globalAlpha = dark ? 0.5 : 0.34;
      c.fillRect(a, fieldsTop, Math.max(b - a - (b - a > 3 ? 1 : 0), 0.6), fieldLane);
      c.globalAlpha = 1;
      if (b - a > 26) {
        c.fillStyle = colour('ink');
        const text = f.value !== undefined && f.value !== '' ? plain((f.kind === 'type' ? f.meaning : undefined) ?? f.value).slice(0, 200) : tOr(`field.${f.kind}`, f.kind);
        const room = b - a - 8;
        const fits = Math.floor(room / 6.7);
        if (fits >= 1) c.fillText(text.length <= fits ? text : text.slice(0, Math.max(fits - 1, 0)) + '…', a + 4, fieldsTop + fieldLane / 2);
      }
    }
    at = Math.max(f.end, at + 1);
  }
  const wide = x(near.base + near.start + 1) - x(near.base + near.start);
  if (wide < 16) return;
  c.textAlign = 'center';
  for (let i = near.start; i < near.end; i++) {
    const value = byteAt(near.file, i, size, lang.peek());
    const a = x(near.base + i);
    const w = x(near.base + i + 1) - a;
    if (value === undefined || w < 16) continue;
    const f = fieldAt(near.file, i, size, lang.peek());
    c.strokeStyle = colour('line');
    c.strokeRect(Math.round(a) + 0.5, bytesTop + 0.5, Math.round(w) - 2, byteLane - 2);
    if (f) {
      c.fillStyle = colour(fieldTone(f));
      c.fillRect(a + 1, bytesTop + byteLane - 4, w - 3, 2);
    }
    c.fillStyle = colour('ink');
    c.fillText(value.toString(16).padStart(2, '0'), a + w / 2, bytesTop + 13);
    c.fillStyle = colour('muted');
    c.fillText(value >= 32 && value < 127 ? String.fromCharCode(value) : '·', a + w / 2, bytesTop + 28);
  }
  c.textAlign = 'start';
}
