import { useAnswer } from '../../backend/answers';
import type { Setting } from '../../backend/questions';
import { t, tOr } from '../../i18n';
import { plain } from '../../lib/escape';
import { count } from '../../lib/format';
import { lang } from '../../state/prefs';
import { hover, select, selected } from '../../state/selection';
import { model } from '../../state/session';
import { Absent, Partial } from '../../ui/absent';
import { Failed, Loading } from '../../ui/states';
import { Raw } from '../../ui/text';

/** Each value that an engine needs, and the key or the rule that gives it. */
export function Configuration() {
  const answer = useAnswer('config', model.value ? { model: model.value.model, lang: lang.value } : null);
  if (answer.error) return <Failed error={answer.error} retry={answer.retry} />;
  if (!answer.data) return <Loading />;
  const { architecture, known, settings, missing, notes } = answer.data;
  const groups = [...new Set(settings.map((s) => s.group))];
  return (
    <section class="config" aria-label={t('load.settings')}>
      {architecture === null ? <Absent what="architecture">{t('load.none')}</Absent> : <Partial what="more-keys" />}
      {architecture !== null && (
        <p class="config-head">
          <span class="muted">general.architecture</span> <b>{plain(architecture)}</b> {!known && <span class="muted">{t('load.unknown', { name: plain(architecture) })}</span>}
        </p>
      )}
      {(missing.length > 0 || notes.length > 0) && (
        <div class="notices">
          {missing.map((m) => <div class="notice error"><b>{t('load.from-missing')}</b> <span class="mono">{plain(m)}</span></div>)}
          {notes.map((n) => <div class="notice">{plain(n)}</div>)}
        </div>
      )}
      <div class="config-groups">
        {groups.map((g) => (
          <section class="card" aria-label={tOr(`group.${g}`, g)}>
            <h2>{tOr(`group.${g}`, g)}</h2>
            <ul>
              {settings.filter((s) => s.group === g).map((s) => <Row s={s} />)}
            </ul>
          </section>
        ))}
      </div>
    </section>
  );
}

/** A value as other panes write it: whole numbers in groups, long texts cut. */
function shown(value: string): string {
  if (/^\d+(\.0)?$/.test(value)) return count(value.replace('.0', ''));
  return value.length > 240 ? value.slice(0, 240) + '…' : value;
}

function Row({ s }: { s: Setting }) {
  const spot = selected.value;
  const here = s.span !== null && spot !== null && spot.file === s.span.file && s.span.start < spot.end && spot.start < s.span.end;
  return (
    <li
      class={`setting from-${s.from} ${here ? 'current' : ''}`}
      onPointerEnter={() => s.span && hover({ ...s.span })}
      onPointerLeave={() => hover(null)}
    >
      <span class="setting-name">{tOr(`setting.${s.name}`, s.name)}</span>
      <span class="setting-value">{s.value === '' ? <span class="muted">–</span> : <Raw text={shown(s.value)} />}</span>
      <span class="setting-from">
        {s.span ? (
          <button type="button" class="link mono small" onClick={() => s.span && select({ ...s.span })}>{plain(s.key ?? '')}</button>
        ) : (
          <>
            <span class={`badge from`}>{tOr(`load.from-${s.from}`, s.from)}</span>{' '}
            <span class="muted small">{plain(s.rule ?? s.key ?? '')}</span>
          </>
        )}
        {s.span && s.rule && <span class="muted small"> {plain(s.rule)}</span>}
      </span>
    </li>
  );
}
