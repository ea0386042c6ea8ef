import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../../backend/answers';
import type { Block, TensorRow } from '../../backend/questions';
import { t } from '../../i18n';
import { fromBase64 } from '../../lib/base64';
import { plain } from '../../lib/escape';
import { count, hex, num, parsePosition } from '../../lib/format';
import { lang } from '../../state/prefs';
import { go, setView, view } from '../../state/route';
import { select } from '../../state/selection';
import { useDelayed } from '../../ui/hooks';
import { Failed, Loading, Why } from '../../ui/states';

/** One block of a quantized tensor, opened: bytes, bits by owner, members, values, and how a value comes about. */
export function BlockView({ tensor }: { tensor: TensorRow }) {
  const wanted = Number(view.value.element ?? '');
  const [number, setNumber] = useState(() => Number(view.value.block ?? 0) || 0);
  const [element, setElement] = useState(0);
  const answer = useAnswer('block', { file: tensor.file, tensor: tensor.index, block: number, lang: lang.value });
  const block = answer.data;
  const placed = useRef(false);
  // A link from the heat map names an element; which block it is in, the first answer tells.
  useEffect(() => {
    if (!block || placed.current || !view.value.element || !Number.isSafeInteger(wanted)) return;
    placed.current = true;
    const n = Math.min(block.blocks - 1, Math.floor(wanted / block.elements));
    setElement(wanted - n * block.elements);
    setNumber(n);
    setView({ element: null, block: String(n) });
  }, [block]);
  const to = (n: number) => {
    if (!block) return;
    const next = Math.min(Math.max(0, n), block.blocks - 1);
    setNumber(next);
    setView({ block: String(next) });
  };
  if (answer.error) return <Failed error={answer.error} retry={answer.retry} />;
  if (!block) return <Loading />;
  return (
    <div class="block">
      <div class="bar">
        <button type="button" class="button small" aria-label={t('tensors.prev')} disabled={number <= 0} onClick={() => to(number - 1)}>←</button>
        <label class="select"><span class="select-label">{t('tensors.blockN')}</span>
          <input class="search number-input" inputMode="numeric" value={String(number)} onChange={(e) => to(parsePosition(e.currentTarget.value) ?? number)} />
        </label>
        <span class="muted">{t('tensors.of', { n: count(block.blocks) })}</span>
        <button type="button" class="button small" aria-label={t('tensors.next')} disabled={number >= block.blocks - 1} onClick={() => to(number + 1)}>→</button>
        <span class="muted">{t('tensors.row', { n: count(block.row) })} · {t('tensors.range', { from: count(block.first_element), to: count(block.first_element + block.elements - 1) })}</span>
        <button type="button" class="link mono" onClick={() => { select({ ...block.span }); go('bytes'); }}>{hex(block.span.start)}–{hex(block.span.end)}</button>
      </div>
      <Opened key={`${block.span.start}`} tensor={tensor} block={block} element={Math.min(element, block.elements - 1)} setElement={setElement} />
    </div>
  );
}

/** Tones of owners by what they are called: scales, minimums, quants, high bits, signs. */
const tones = ['b-a', 'b-b', 'b-c', 'b-d', 'b-e', 'b-f'];

function Opened({ tensor, block, element, setElement }: { tensor: TensorRow; block: Block; element: number; setElement: (n: number) => void }) {
  const asked = useDelayed(element, 40);
  const worked = useAnswer('worked', { file: tensor.file, tensor: tensor.index, block: block.block, element: asked, lang: lang.value });
  const bytes = useMemo(() => fromBase64(block.data), [block.data]);
  const names = useMemo(() => [...new Set(block.owners.map((o) => base(o.symbol)).filter((s) => s !== ''))], [block]);
  const tone = (symbol: string) => (symbol === '' ? 'b-none' : (tones[names.indexOf(base(symbol)) % tones.length] ?? 'b-a'));
  const hot = useMemo(() => new Set(worked.data?.terms.flatMap((x) => x.bits) ?? []), [worked.data]);
  const grid = useRef<HTMLDivElement>(null);

  const move = (event: KeyboardEvent) => {
    const across = block.elements >= 16 ? 16 : block.elements;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    setElement(Math.min(block.elements - 1, Math.max(0, element + by)));
  };
  const moved = useRef(false);
  useEffect(() => {
    // The first value is not moved to: what stands above it is to be seen first.
    if (moved.current) grid.current?.querySelector('.here')?.scrollIntoView({ block: 'nearest' });
    moved.current = true;
  }, [element]);

  return (
    <div class="opened-block">
      <section class="card worked" aria-label={t('tensors.worked')}>
        <h3>{t('tensors.worked')}</h3>
        <p class="hint">{t('tensors.worked-hint')}</p>
        <div aria-live="polite">
          <p class="worked-value"><span class="muted">{t('tensors.element', { n: element })}</span> <b>{num(block.values[element])}</b></p>
          {worked.error ? <p class="muted"><Why error={worked.error} /></p> : worked.data && (
            <>
              <p class="mono rule">{plain(worked.data.rule)}</p>
              <p class="mono rule-numbers">{plain(worked.data.formula)}</p>
              <ul class="terms">
                {worked.data.terms.map((x) => (
                  <li><i class={`tick ${tone(x.name)} bg-tone`} /><span class="mono">{plain(x.name)}</span> <b>{plain(x.value)}</b> {x.how && <span class="muted">{plain(x.how)}</span>} <span class="bits-of mono muted">{bitsText(x.bits, bytes)}</span></li>
                ))}
              </ul>
            </>
          )}
        </div>
      </section>
      {block.bits.length > 0 ? (
        <section class="card" aria-label={t('tensors.bitsOf')}>
          <div class="bar"><h3>{t('tensors.bitsOf')}</h3><ul class="legend">{names.map((n) => <li><i class={`dot ${tone(n)} bg-tone`} />{plain(n)}</li>)}</ul></div>
          <p class="hint">{t('tensors.bits-label')}</p>
          <div class="bits" tabIndex={0} role="group" aria-label={t('tensors.bitsOf')} onPointerOver={(event) => {
            const found = (event.target as HTMLElement).dataset.bit;
            const owner = found === undefined ? undefined : block.owners[block.bits[Number(found)] ?? 0];
            if (owner?.element != null) setElement(owner.element);
          }}>
            {Array.from(bytes, (byte, i) => (
              <span class="byte" title={`${hex(block.span.start + i)}: 0x${byte.toString(16).padStart(2, '0')}`}>
                {[7, 6, 5, 4, 3, 2, 1, 0].map((b) => {
                  const bit = i * 8 + b;
                  const owner = block.owners[block.bits[bit] ?? 0];
                  return <i data-bit={bit} class={`${tone(owner?.symbol ?? '')} ${hot.has(bit) ? 'hot' : ''} ${odd(owner?.symbol) ? 'odd' : ''}`}>{(byte >> b) & 1}</i>;
                })}
              </span>
            ))}
          </div>
        </section>
      ) : <p class="hint">{t('tensors.no-bits')}</p>}
      <section class="card" aria-label={t('tensors.valuesOf')}>
        <h3>{t('tensors.valuesOf')}</h3>
        <div class="block-values" ref={grid} tabIndex={0} role="application" aria-label={`${t('tensors.valuesOf')}. ${t('tensors.worked-hint')}`} onKeyDown={move} onPointerOver={(event) => {
          const found = (event.target as HTMLElement).dataset.element;
          if (found !== undefined) setElement(Number(found));
        }}>
          {block.values.map((v, i) => <span data-element={i} class={i === element ? 'here' : ''}>{num(v, 3)}</span>)}
        </div>
      </section>
      <section class="card" aria-label={t('tensors.members')}>
        <h3>{t('tensors.members')}</h3>
        <p class="mono rule">{plain(block.formula)}</p>
        <ul class="members">
          {block.members.map((m) => (
            <li>
              <b class="mono">{plain(m.name)}</b> <span class="muted mono small">{m.start}–{m.end} · {plain(m.unit)}</span>
              <p>{plain(m.meaning)}</p>
              {m.values.length > 0 && <p class="mono small muted member-values">{m.values.slice(0, 32).map(plain).join(' ')}{m.values.length > 32 && ' …'}</p>}
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}

function base(symbol: string): string {
  return symbol.replace(/\[.*$/, '');
}

function odd(symbol: string | undefined): boolean {
  const n = /\[(\d+)\]/.exec(symbol ?? '')?.[1];
  return n !== undefined && Number(n) % 2 === 1;
}

/** The bits of a term as they are read, the highest first, in groups of four. */
function bitsText(bits: readonly number[], bytes: Uint8Array): string {
  if (bits.length === 0 || bits.length > 64) return '';
  const text = [...bits].reverse().map((b) => ((bytes[b >> 3] ?? 0) >> (b & 7)) & 1).join('');
  return text.replace(/(?=(?:.{4})+$)(?!^)/g, ' ');
}
