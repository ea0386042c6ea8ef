import { useRef } from 'preact/hooks';
import type { Compared } from '../../backend/questions';
import { t } from '../../i18n';
import { typeColour } from '../../lib/colour';
import { plain } from '../../lib/escape';
import { stepOf } from '../../lib/keys';
import { num } from '../../lib/format';
import { palette } from '../../state/prefs';
import { useDrawing } from '../../ui/canvas';
import { useSize } from '../../ui/hooks';

export type Measure = 'relative' | 'rmse' | 'max' | 'snr_db';

const high = 190;
const left = 58;
const foot = 8;

/** A stroke for each tensor, in the order of the file; errors on a logarithmic scale. Those without any error are dots at the foot. */
export function ErrorChart({ results, total, measure, at, onAt }: { results: Compared[]; total: number; measure: Measure; at: string | null; onAt: (name: string | null) => void }) {
  const [box, size] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const colour = palette.value;
  const logged = measure !== 'snr_db';
  const values = results.map((r) => {
    const v = r[measure];
    return typeof v === 'number' && (!logged || v > 0) ? (logged ? Math.log10(v) : v) : null;
  });
  const known = values.filter((v): v is number => v !== null);
  const lo = known.length ? Math.floor(Math.min(...known) - (logged ? 0.1 : 1)) : -3;
  const hi = known.length ? Math.ceil(Math.max(...known) + (logged ? 0.1 : 1)) : 0;
  const width = size.width;
  const step = (width - left - 6) / Math.max(1, total);
  const y = (v: number) => 6 + (1 - (v - lo) / Math.max(1e-9, hi - lo)) * (high - 12 - foot);

  useDrawing(canvas, width, high, (c) => {
    c.font = '11px system-ui, sans-serif';
    c.textBaseline = 'middle';
    c.textAlign = 'right';
    const marks = Math.max(1, Math.ceil((hi - lo) / 5));
    for (let v = lo; v <= hi; v += marks) {
      c.strokeStyle = colour('line');
      c.beginPath();
      c.moveTo(left, Math.round(y(v)) + 0.5);
      c.lineTo(width, Math.round(y(v)) + 0.5);
      c.stroke();
      c.fillStyle = colour('muted');
      c.fillText(logged ? num(10 ** v, 3) : num(v, 3), left - 6, y(v));
    }
    results.forEach((r, i) => {
      const x = left + (i + 0.5) * step;
      const v = values[i];
      c.fillStyle = colour(r.name === at ? 'accent' : typeColour(r.type_b));
      const w = Math.max(1, Math.min(10, step * 0.7));
      if (v == null) {
        c.beginPath();
        c.arc(x, high - 4, Math.max(1.2, w / 3), 0, 7);
        c.fill();
      } else {
        c.fillRect(x - w / 2, y(v), w, high - foot - y(v));
      }
    });
  }, [results, measure, at, colour, total]);

  const find = (event: MouseEvent) => {
    const rect = canvas.current?.getBoundingClientRect();
    if (!rect) return null;
    return results[Math.floor((event.clientX - rect.left - left) / step)]?.name ?? null;
  };
  const here = results.findIndex((r) => r.name === at);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = stepOf(event.key);
    if (step === undefined || results.length === 0) return;
    event.preventDefault();
    onAt(results[Math.min(Math.max(here + step, 0), results.length - 1)]?.name ?? null);
  };
  const shown = results[here];
  return (
    <div
      class="error-chart card"
      ref={box}
      tabIndex={0}
      role="slider"
      aria-label={t('compare.chart')}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, results.length - 1)}
      aria-valuenow={Math.max(0, here)}
      aria-valuetext={shown ? `${plain(shown.name)}: ${num(shown[measure], 4)}` : t('compare.nothing-chosen')}
      onKeyDown={onKeyDown}
      onClick={(event) => onAt(find(event))}
    >
      <canvas ref={canvas} aria-hidden="true" style={{ height: `${high}px`, width: '100%' }} />
    </div>
  );
}
