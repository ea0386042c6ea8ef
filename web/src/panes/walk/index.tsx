import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../../backend/answers';
import { useSteps } from '../../backend/pages';
import type { Step } from '../../backend/questions';
import { t, tOr } from '../../i18n';
import { fieldTone } from '../../lib/colour';
import { count, hex } from '../../lib/format';
import { lang } from '../../state/prefs';
import { hover, select, selected } from '../../state/selection';
import { file as fileNow, files } from '../../state/session';
import { Grid, type Column } from '../../ui/grid';
import { Empty, Failed, Intro, Loading, Select } from '../../ui/states';
import { Raw } from '../../ui/text';
import { Jump } from './jump';
import { Progress } from './progress';
import { Tape } from './tape';

const speeds = [0.5, 1, 2, 5, 20] as const;
let rememberedSpeed = 1;

/** The walk of a reader through the head, step by step. */
export function WalkPane() {
  const head = fileNow.value;
  const steps = useSteps(head && head.version !== null ? head.file : null, lang.value);
  const [at, setAt] = useState(1);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(rememberedSpeed);
  const mine = useRef<string | null>(null);
  const total = steps.total ?? 0;
  const step = steps.row(at - 1);

  const to = (n: number) => setAt(Math.min(Math.max(1, n), Math.max(1, total)));

  // What is selected elsewhere moves the cursor here; a step that is taken here is selected everywhere.
  const spot = selected.value;
  useEffect(() => {
    if (!spot || !head || spot.file !== head.file || mine.current === `${spot.start} ${spot.end}`) return;
    let live = true;
    ask('step_at', { file: spot.file, offset: spot.start }).then((answer) => {
      if (live && answer.step !== null) setAt(answer.step);
    }, () => {});
    return () => {
      live = false;
    };
  }, [spot, head?.file]);
  const walked = useRef(false);
  useEffect(() => {
    if (!step || !head || (!walked.current && !playing)) return;
    mine.current = `${step.start} ${step.end}`;
    select({ file: head.file, start: step.start, end: step.end, path: step.path });
  }, [step?.step, step?.start, head?.file]);

  const walk = (n: number) => {
    walked.current = true;
    to(n);
  };

  useEffect(() => {
    if (!playing) return;
    if (at >= total) {
      setPlaying(false);
      return;
    }
    const timer = setTimeout(() => walk(at + 1), 1000 / speed);
    return () => clearTimeout(timer);
  }, [playing, at, speed, total]);

  if (!head) return null;
  // Without a header there is no step to be asked for.
  if (head.version === null) return <><Intro pane="walk" /><Empty>{t('walk.headless')}</Empty></>;
  if (steps.error && steps.total === null) return <Failed error={steps.error} />;
  if (steps.total === null) return <><Intro pane="walk" /><Loading /></>;

  const onKey = (event: KeyboardEvent) => {
    const element = event.target as Element;
    if (element.closest('input, select, textarea, .scroller') || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'ArrowRight') walk(at + 1);
    else if (event.key === 'ArrowLeft') walk(at - 1);
    else if (event.key === ' ' && !element.closest('button')) setPlaying(!playing);
    else return;
    event.preventDefault();
  };
  const columns: Column<Step>[] = [
    { id: 'step', label: '#', width: '3.6rem', number: true, cell: (s) => <span class="muted">{count(s.step)}</span> },
    { id: 'where', label: t('walk.where'), width: '6.2rem', min: 420, cell: (s) => <span class="mono muted">{hex(s.start)}</span> },
    { id: 'what', label: t('walk.what'), width: 'minmax(9rem, 1.1fr)', cell: (s) => <><i class={`tick bg-${toneOf(s)}`} /><span class="mono small">{s.path}</span>{s.jumps && <span class="badge">{t('walk.jumps')}</span>}</> },
    { id: 'value', label: t('tag.value'), width: 'minmax(6rem, 1fr)', cell: (s) => <Raw text={s.value.slice(0, 120)} /> },
    { id: 'next', label: t('walk.next'), width: 'minmax(10rem, 2fr)', min: 760, cell: (s) => <span class="muted">{s.next ?? ''}</span> },
  ];
  return (
    <div class="fill walk" onKeyDown={onKey}>
      <Intro pane="walk" />
      <div class="bar">
        <div class="choice transport">
          <button type="button" aria-label={t('walk.first')} title={t('walk.first')} disabled={at <= 1} onClick={() => walk(1)}><Icon name="first" /></button>
          <button type="button" aria-label={t('walk.back')} title={t('walk.back')} disabled={at <= 1} onClick={() => walk(at - 1)}><Icon name="back" /></button>
          <button type="button" class="play" aria-pressed={playing} onClick={() => { walked.current = true; if (at >= total) to(1); setPlaying(!playing); }}>{playing ? t('walk.pause') : t('walk.play')}</button>
          <button type="button" aria-label={t('walk.forward')} title={t('walk.forward')} disabled={at >= total} onClick={() => walk(at + 1)}><Icon name="forward" /></button>
          <button type="button" aria-label={t('walk.last')} title={t('walk.last')} disabled={at >= total} onClick={() => walk(total)}><Icon name="last" /></button>
        </div>
        <Select label={t('walk.speed')} value={String(speed)} options={speeds.map((s) => [String(s), `${s}×`] as const)} onChange={(s) => setSpeed((rememberedSpeed = Number(s)))} />
        {files.value.length > 1 && <Select label={t('app.file')} hidden value={String(head.file)} options={files.value.map((f) => [String(f.file), f.name] as const)} onChange={(f) => select({ file: Number(f), start: 0, end: 1 })} />}
        <span class="muted" aria-live={playing ? 'off' : 'polite'}>{t('walk.step', { n: count(at), total: count(total) })}</span>
      </div>
      <input class="walk-slider" type="range" min={1} max={Math.max(1, total)} value={at} aria-label={t('walk.position')} aria-valuetext={step ? `${t('walk.step', { n: at, total })}, ${step.path}` : String(at)} onInput={(event) => { setPlaying(false); walk(Number(event.currentTarget.value)); }} />
      <Progress at={at} row={steps.row} end={head.data_start ?? head.head_end ?? head.size} />
      {step && (
        <section class="card walk-card" aria-label={t('walk.step', { n: count(at), total: count(total) })}>
          <Tape step={step} before={steps.row(at - 2)} after={steps.row(at)} file={head.file} size={head.size} />
          <div class="walk-story" aria-live={playing ? 'off' : 'polite'}>
            <div>
              <h3>{t('walk.read')}</h3>
              <p><i class={`tick bg-${toneOf(step)}`} /><b>{tOr(`field.${step.kind}`, step.kind)}</b> <span class="muted">{step.type}</span></p>
              {step.value !== '' && <p class="walk-value"><Raw text={step.value.length > 160 ? step.value.slice(0, 160) + '…' : step.value} /></p>}
              <p class="mono small muted">{step.path}</p>
            </div>
            <div>
              <h3>{t('walk.means')}</h3>
              <p>{step.meaning ?? <span class="muted">–</span>}</p>
              <p class="mono small muted">{hex(step.start)}–{hex(step.end)} · {count(step.end - step.start)} B</p>
            </div>
            <div class="walk-next">
              <h3>{t('walk.next')}</h3>
              <p>{step.next ?? t(head.head_end === null ? 'walk.breaks' : 'walk.done')}</p>
            </div>
          </div>
        </section>
      )}
      <Jump file={head.file} size={total} go={walk} />
      <Grid
        label={t('walk.list')}
        columns={columns}
        rows={total}
        row={steps.row}
        current={at - 1}
        onSelect={(i) => { setPlaying(false); walk(i + 1); }}
        onHover={(_, s) => hover(s ? { file: head.file, start: s.start, end: s.end, path: s.path } : null)}
        rowClass={(s) => (s.step < at ? 'passed' : '')}
        centre
      />
    </div>
  );
}

const icons = { first: 'M3 3h2v10H3zM14 3v10L6 8z', back: 'M12 3v10L4 8z', forward: 'M4 3v10l8-5z', last: 'M11 3h2v10h-2zM2 3v10l8-5z' };

function Icon({ name }: { name: keyof typeof icons }) {
  return <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" class="icon-svg"><path d={icons[name]} /></svg>;
}

function toneOf(s: Step): string {
  return fieldTone({ path: s.path, start: s.start, end: s.end, kind: s.kind });
}
