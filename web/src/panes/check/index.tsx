import { useState } from 'preact/hooks';
import { useAnswer } from '../../backend/answers';
import type { Finding, Label, Place } from '../../backend/questions';
import { t, tOr } from '../../i18n';
import { plain } from '../../lib/escape';
import { count, hex } from '../../lib/format';
import { lang } from '../../state/prefs';
import { go } from '../../state/route';
import { hover, same, select, selected } from '../../state/selection';
import { fileHead, files, model } from '../../state/session';
import { RawBytes } from '../../ui/rawbytes';
import { Choice, Failed, Intro, Loading } from '../../ui/states';
import { Manual } from '../../ui/manual';
import { English, Said } from '../../ui/said';

const severities = ['error', 'warning', 'note'] as const;
type Severity = (typeof severities)[number];

/** What is wrong or odd, each with its bytes. */
export function CheckPane() {
  const answer = useAnswer('check', model.value ? { model: model.value.model } : null);
  const [only, setOnly] = useState<Severity | 'all'>('all');
  if (answer.error) return <><Intro pane="check" /><Failed error={answer.error} retry={answer.retry} /></>;
  if (!answer.data) return <><Intro pane="check" /><Loading /></>;
  const { counts, findings, not_examined, left_out } = answer.data;
  const total = counts.error + counts.warning + counts.note;
  // The worst first, in the order of the file among themselves.
  const shown = findings.filter((f) => only === 'all' || f.severity === only).sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
  return (
    <>
      <Intro pane="check" />
      <div class="bar verdict" role="status">
        {total === 0 ? (
          <p class="clean"><i class="sign good" aria-hidden="true">✓</i><b>{t('check.clean')}</b> <span class="muted">{t('check.clean-more')}</span></p>
        ) : (
          <>
            {severities.filter((s) => counts[s] > 0).map((s) => <span class={`tally ${s}`}><i class={`sign ${s}`} aria-hidden="true">{signs[s]}</i>{t(`check.${s}s`, { count: counts[s] })}</span>)}
            <span class="bar-room" />
            <Choice label={t('check.filter')} value={only} options={[['all', t('check.all')] as const, ...severities.filter((s) => counts[s] > 0).map((s) => [s, t(`check.${s}`)] as const)]} onChange={setOnly} />
          </>
        )}
      </div>
      {total > 0 && lang.value !== 'en' && <p class="hint">{t('check.in-english')}</p>}
      <ol class="findings" aria-label={t('check.list')}>
        {shown.map((f) => <Card f={f} />)}
      </ol>
      {left_out.filter((l) => only === 'all' || l.severity === only).map((l) => <p class="hint">{l.code} {plain(l.rule)}: +{count(l.more)}</p>)}
      {not_examined.length > 0 && (
        <section class="not-examined">
          <h2>{t('check.not-examined')}</h2>
          <ul>
            {not_examined.map((n) => (
              <li><b><Said text={n.what} /></b>{t('app.colon')}<Said text={n.why} />{n.place && <> <PlaceLink place={n.place} /></>}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const signs: Record<Severity, string> = { error: '✕', warning: '!', note: 'i' };

function PlaceLink({ place }: { place: Place }) {
  const many = files.value.length > 1;
  return (
    <button
      type="button"
      class="link mono"
      onClick={() => { select({ ...place, end: Math.max(place.end, place.start + 1) }); go('bytes'); }}
      onPointerEnter={() => hover({ ...place })}
      onPointerLeave={() => hover(null)}
    >
      {many && `${plain(fileHead(place.file)?.name ?? '')} `}{hex(place.start)}–{hex(place.end)}
    </button>
  );
}

function Where({ label, main }: { label: Label; main?: boolean }) {
  return (
    <div class={`where ${main ? 'main' : ''}`}>
      <p>
        <PlaceLink place={label} /> {label.path && <span class="mono small muted">{plain(label.path)}</span>} {label.name && <b>{plain(label.name)}</b>}
        {label.text && <> <English class="where-text" text={label.text} /></>}
      </p>
      {label.end > label.start && <RawBytes place={label} most={24} />}
    </div>
  );
}

function Card({ f }: { f: Finding }) {
  const here = same(selected.value, f.primary);
  return (
    <li class={`finding card ${f.severity} ${here ? 'current' : ''}`}>
      <header>
        <i class={`sign ${f.severity}`} aria-hidden="true">{signs[f.severity]}</i>
        <div>
          <h2>{lang.value === 'en' ? plain(f.message) : <Said text={f.summary} />}</h2>
          {lang.value !== 'en' && <p><English text={f.message} /></p>}
          <p class="muted small"><span class="severity">{t(`check.${f.severity}`)}</span> · <span class="mono">{f.code} {f.rule}</span> · {tOr(`family.${f.family}`, f.family)}</p>
        </div>
        <button type="button" class="button small" onClick={() => select({ file: f.primary.file, start: f.primary.start, end: Math.max(f.primary.end, f.primary.start + 1), ...(f.primary.path ? { path: f.primary.path } : {}) })}>{t('check.show-bytes')}</button>
      </header>
      <Where label={f.primary} main />
      {f.secondary.map((l) => <Where label={l} />)}
      {f.notes.map((n) => <p class="finding-note"><span class="muted">{t('check.note')}{t('app.colon')}</span><English text={n} /></p>)}
      {f.help.map((h) => <p class="finding-note"><span class="muted">{t('check.help')}{t('app.colon')}</span><English text={h} /></p>)}
      {f.fix && <p class="finding-note"><span class="muted">{t('check.fix')}{t('app.colon')}</span><English text={f.fix.title} /> <span class="badge">{tOr(`safety.${f.fix.safety}`, f.fix.safety)}</span></p>}
      <Manual what={f.rule} label={t('check.manual')} />
    </li>
  );
}
