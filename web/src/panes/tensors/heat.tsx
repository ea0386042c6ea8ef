import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ask } from '../../backend/answers';
import type { Grid, TensorRow } from '../../backend/questions';
import { t } from '../../i18n';
import { floatsFromBase64 } from '../../lib/base64';
import { count, num } from '../../lib/format';
import { ramp } from '../../lib/ramp';
import { palette, scheme } from '../../state/prefs';
import { setView } from '../../state/route';
import { useDrawing } from '../../ui/canvas';
import { useActive, useSize } from '../../ui/hooks';
import { Choice, Failed } from '../../ui/states';

interface Window {
  r0: number;
  r1: number;
  c0: number;
  c1: number;
}

/** The values of a tensor as a picture: rows down, columns across, zoomed down to single values. */
export function HeatMap({ tensor }: { tensor: TensorRow }) {
  const cols = Number(tensor.shape[0] ?? 1);
  const rows = tensor.shape.slice(1).reduce<number>((n, d) => n * Number(d), 1);
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [win, setWin] = useState<Window>({ r0: 0, r1: rows, c0: 0, c1: cols });
  const [grid, setGrid] = useState<Grid | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [what, setWhat] = useState<'mean' | 'peak'>('peak');
  const [at, setAt] = useState<{ r: number; c: number } | null>(null);
  const [reach, setReach] = useState(0);

  // What is asked for is whole rows and columns, and no more cells than the picture has room for.
  const cell = 3;
  const r0 = Math.floor(win.r0);
  const c0 = Math.floor(win.c0);
  const r1 = Math.min(rows, Math.ceil(win.r1));
  const c1 = Math.min(cols, Math.ceil(win.c1));
  const width = Math.min(c1 - c0, Math.max(1, Math.floor(size.width / cell)), 320);
  const height = Math.min(r1 - r0, Math.max(1, Math.floor(size.height / cell)), 240);
  useEffect(() => {
    if (size.width < 10) return;
    let live = true;
    const timer = setTimeout(() => {
      ask('values', { file: tensor.file, tensor: tensor.index, row_from: r0, row_to: r1, col_from: c0, col_to: c1, width, height }).then(
        (answer) => {
          if (!live) return;
          setGrid(answer);
          setError(null);
        },
        (problem: unknown) => live && setError(problem),
      );
    }, grid ? 90 : 0);
    return () => {
      live = false;
      clearTimeout(timer);
    };
  }, [tensor, r0, r1, c0, c1, width, height, size.width > 10]);

  const values = useMemo(() => (grid ? floatsFromBase64(what === 'mean' && !grid.exact ? grid.mean : grid.peak) : null), [grid, what]);
  // The scale of colours is that of the whole tensor, so that zooming does not change what a colour means.
  useEffect(() => {
    if (!values || !grid) return;
    const sorted = [...values].filter(Number.isFinite).map(Math.abs).sort((a, b) => a - b);
    const high = sorted[Math.floor(sorted.length * 0.995)] || sorted.at(-1) || 1;
    if (reach === 0 || (grid.rows[1] - grid.rows[0] === rows && grid.cols[1] - grid.cols[0] === cols)) setReach(high);
  }, [values]);

  const dark = scheme.value === 'dark';
  const colour = palette.value;
  const x = (c: number) => ((c - win.c0) / (win.c1 - win.c0)) * size.width;
  const y = (r: number) => ((r - win.r0) / (win.r1 - win.r0)) * size.height;
  useDrawing(canvas, size.width, size.height, (ctx) => {
    if (!grid || !values || reach === 0) return;
    const image = new ImageData(grid.width, grid.height);
    for (let i = 0; i < values.length; i++) ramp((values[i] ?? 0) / reach, dark, image.data, i * 4);
    const small = new OffscreenCanvas(grid.width, grid.height);
    small.getContext('2d')?.putImageData(image, 0, 0);
    ctx.imageSmoothingEnabled = false;
    const [gx0, gx1, gy0, gy1] = [x(grid.cols[0]), x(grid.cols[1]), y(grid.rows[0]), y(grid.rows[1])];
    ctx.drawImage(small, gx0, gy0, gx1 - gx0, gy1 - gy0);
    const cw = (gx1 - gx0) / grid.width;
    const ch = (gy1 - gy0) / grid.height;
    if (grid.exact && cw > 52 && ch > 16) {
      ctx.font = '11px ui-monospace, Menlo, Consolas, monospace';
      ctx.textAlign = 'center';
      ctx.textBaseline = 'middle';
      for (let i = 0; i < values.length; i++) {
        const v = values[i] ?? 0;
        ctx.fillStyle = Math.abs(v / reach) > (dark ? 0.7 : 0.5) ? (dark ? '#10151a' : '#fff') : colour('ink');
        ctx.fillText(num(v, 3), gx0 + ((i % grid.width) + 0.5) * cw, gy0 + (Math.floor(i / grid.width) + 0.5) * ch);
      }
      ctx.textAlign = 'start';
    }
    if (at) {
      ctx.strokeStyle = colour('accent');
      ctx.lineWidth = 2;
      const [, , cc] = cellAt(at);
      ctx.strokeRect(x(cc.c0) - 1, y(cc.r0) - 1, Math.max(x(cc.c1) - x(cc.c0), 4) + 2, Math.max(y(cc.r1) - y(cc.r0), 4) + 2);
    }
  }, [grid, values, win, reach, dark, at, colour]);

  /** The cell that holds an element: its place among the cells, and the elements it stands for. */
  function cellAt(p: { r: number; c: number }): [number, number, Window] {
    if (!grid) return [0, 0, { r0: p.r, r1: p.r + 1, c0: p.c, c1: p.c + 1 }];
    const [gr0, gr1] = grid.rows;
    const [gc0, gc1] = grid.cols;
    const i = Math.min(grid.height - 1, Math.max(0, Math.floor(((p.r - gr0) / (gr1 - gr0)) * grid.height)));
    const j = Math.min(grid.width - 1, Math.max(0, Math.floor(((p.c - gc0) / (gc1 - gc0)) * grid.width)));
    const row = (k: number) => gr0 + Math.floor((k * (gr1 - gr0)) / grid.height);
    const col = (k: number) => gc0 + Math.floor((k * (gc1 - gc0)) / grid.width);
    return [i, j, { r0: row(i), r1: row(i + 1), c0: col(j), c1: col(j + 1) }];
  }

  const clamp = (w: Window): Window => {
    const h = Math.min(rows, Math.max(Math.min(4, rows), w.r1 - w.r0));
    const v = Math.min(cols, Math.max(Math.min(4, cols), w.c1 - w.c0));
    const a = Math.min(Math.max(0, (w.r0 + w.r1 - h) / 2), rows - h);
    const b = Math.min(Math.max(0, (w.c0 + w.c1 - v) / 2), cols - v);
    return { r0: a, r1: a + h, c0: b, c1: b + v };
  };
  const zoom = (factor: number, px = size.width / 2, py = size.height / 2) => {
    const c = win.c0 + (px / size.width) * (win.c1 - win.c0);
    const r = win.r0 + (py / size.height) * (win.r1 - win.r0);
    setWin(clamp({ r0: r - (r - win.r0) * factor, r1: r + (win.r1 - r) * factor, c0: c - (c - win.c0) * factor, c1: c + (win.c1 - c) * factor }));
  };
  useActive(box, 'wheel', (e) => {
    const event = e as WheelEvent;
    event.preventDefault();
    const rect = canvas.current?.getBoundingClientRect();
    if (rect) zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.004))), event.clientX - rect.left, event.clientY - rect.top);
  });
  const drag = useRef<{ x: number; y: number; win: Window; moved: boolean } | null>(null);
  const position = (event: PointerEvent) => {
    const rect = canvas.current?.getBoundingClientRect();
    if (!rect) return null;
    const c = Math.floor(win.c0 + ((event.clientX - rect.left) / size.width) * (win.c1 - win.c0));
    const r = Math.floor(win.r0 + ((event.clientY - rect.top) / size.height) * (win.r1 - win.r0));
    return { r: Math.min(rows - 1, Math.max(0, r)), c: Math.min(cols - 1, Math.max(0, c)) };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const here = at ?? { r: Math.floor((win.r0 + win.r1) / 2), c: Math.floor((win.c0 + win.c1) / 2) };
    const [, , cc] = cellAt(here);
    const moves: Record<string, { r: number; c: number }> = {
      ArrowLeft: { r: here.r, c: cc.c0 - 1 }, ArrowRight: { r: here.r, c: cc.c1 }, ArrowUp: { r: cc.r0 - 1, c: here.c }, ArrowDown: { r: cc.r1, c: here.c },
    };
    const to = moves[event.key];
    if (to) {
      const next = { r: Math.min(rows - 1, Math.max(0, to.r)), c: Math.min(cols - 1, Math.max(0, to.c)) };
      setAt(next);
      if (next.r < win.r0 || next.r >= win.r1 || next.c < win.c0 || next.c >= win.c1) {
        const dr = next.r < win.r0 ? next.r - win.r0 : next.r >= win.r1 ? next.r + 1 - win.r1 : 0;
        const dc = next.c < win.c0 ? next.c - win.c0 : next.c >= win.c1 ? next.c + 1 - win.c1 : 0;
        setWin(clamp({ r0: win.r0 + dr, r1: win.r1 + dr, c0: win.c0 + dc, c1: win.c1 + dc }));
      }
    } else if (event.key === '+' || event.key === '=') zoom(0.6, at ? x(at.c) : undefined, at ? y(at.r) : undefined);
    else if (event.key === '-') zoom(1 / 0.6);
    else if (event.key === '0') setWin({ r0: 0, r1: rows, c0: 0, c1: cols });
    else return;
    event.preventDefault();
  };

  const [i, j, cc] = at ? cellAt(at) : [0, 0, null];
  const value = values && grid && at ? values[i * grid.width + j] : undefined;
  const say =
    at && cc
      ? cc.r1 - cc.r0 <= 1 && cc.c1 - cc.c0 <= 1
        ? t('tensors.heat-one', { r: count(at.r), c: count(at.c), value: num(value) })
        : t('tensors.heat-cell', { r0: count(cc.r0), r1: count(cc.r1 - 1), c0: count(cc.c0), c1: count(cc.c1 - 1), value: num(value) })
      : '';
  return (
    <section class="fill heat" aria-label={t('tensors.values')}>
      <div class="bar">
        <Choice label={t('tensors.shown')} value={what} options={[['peak', t('tensors.peak_cell')], ['mean', t('tensors.mean_cell')]]} onChange={setWhat} />
        <div class="choice">
          <button type="button" aria-label={t('map.zoomOut')} onClick={() => zoom(1 / 0.6)}>−</button>
          <button type="button" aria-label={t('map.zoomIn')} onClick={() => zoom(0.6)}>+</button>
          <button type="button" onClick={() => setWin({ r0: 0, r1: rows, c0: 0, c1: cols })}>{t('tensors.whole')}</button>
        </div>
        {at && <button type="button" class="button" onClick={() => setView({ show: 'block', element: String(at.r * cols + at.c) })}>{t('tensors.to-block')}</button>}
        <span class="bar-room" />
        <span class="scale"><span>{num(-reach, 3)}</span><i class={dark ? 'ramp-dark' : 'ramp-light'} /><span>{num(reach, 3)}</span></span>
      </div>
      {error !== null && !grid && <Failed error={error} />}
      <div
        class="heat-box"
        ref={box}
        tabIndex={0}
        role="application"
        aria-label={t('tensors.heat-label')}
        aria-describedby="heat-say"
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, y: event.clientY, win, moved: false };
        }}
        onPointerMove={(event) => {
          const d = drag.current;
          if (!d) {
            setAt(position(event));
            return;
          }
          const dx = ((d.x - event.clientX) / size.width) * (d.win.c1 - d.win.c0);
          const dy = ((d.y - event.clientY) / size.height) * (d.win.r1 - d.win.r0);
          if (Math.hypot(d.x - event.clientX, d.y - event.clientY) > 3) d.moved = true;
          if (d.moved) setWin(clamp({ r0: d.win.r0 + dy, r1: d.win.r1 + dy, c0: d.win.c0 + dx, c1: d.win.c1 + dx }));
        }}
        onPointerUp={(event) => {
          if (drag.current && !drag.current.moved) setAt(position(event));
          drag.current = null;
        }}
        onPointerCancel={() => (drag.current = null)}
        onDblClick={(event) => {
          const rect = canvas.current?.getBoundingClientRect();
          if (rect) zoom(0.4, event.clientX - rect.left, event.clientY - rect.top);
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      <p class="hint heat-foot">
        <span id="heat-say" role="status">{say}</span>
        <span>
          {t('tensors.rectangle', { r0: count(r0), r1: count(r1 - 1), c0: count(c0), c1: count(c1 - 1) })}{' '}
          {grid && (grid.exact ? t('tensors.exact') : t('tensors.averaged', { r: cells(r1 - r0, grid.height), c: cells(c1 - c0, grid.width) }))} {grid?.sampled && t('tensors.sampled')}
        </span>
      </p>
    </section>
  );
}

/** How many values a cell is of in one direction: of two numbers where it does not divide, `3–4`. */
function cells(values: number, of: number): string {
  const least = Math.floor(values / of);
  return values % of === 0 ? count(least) : `${count(least)}–${count(least + 1)}`;
}
