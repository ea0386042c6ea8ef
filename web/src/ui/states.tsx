import type { ComponentChildren } from 'preact';
import type { Said as Sentence } from '../backend/questions';
import { Refused } from '../backend/http';
import { t, tOr } from '../i18n';
import { folded, fold, lang } from '../state/prefs';
import type { Pane } from '../state/route';
import { Said } from './said';

/** What every pane says when there is nothing to draw: it reads, it failed and what to do, there is nothing. */

export function Loading() {
  return <p class="blank loading" role="status">{t('state.loading')}</p>;
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="blank empty">{children}</p>;
}

/** What the page says of an error itself, and what the answer says: in both languages, or in English alone where it is the system's. */
function sayError(error: unknown): [own: string, more: Sentence | null] {
  if (!(error instanceof Refused)) return [t('state.failed'), null];
  if (error.kind === 'gone') return [t('state.gone'), null];
  if (error.kind === 'token') return [t('state.token'), null];
  if (error.kind === 'unsupported' && error.message === '') return [t('state.unsupported'), null];
  const more = { en: error.message, zh: error.zh };
  // The answer's own words are enough where they are in the page's language.
  const enough = more.en !== '' && (lang.value === 'en' || more.zh !== more.en);
  return [enough ? '' : tOr(`refused.${error.kind}`, t('state.failed')), more];
}

/** Why there is no answer, within a pane that shows the rest. */
export function Why({ error }: { error: unknown }) {
  const [own, more] = sayError(error);
  return <>{own}{own !== '' && more !== null && t('app.colon')}{more !== null && more.en !== '' && <Said text={more} />}</>;
}

/** Errors that may be over when the same is asked again: what is wrong with a file or a question stays so. */
const again: ReadonlySet<string> = new Set(['io', 'gone', 'limit']);

export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const kind = error instanceof Refused ? error.kind : 'io';
  const [own, more] = sayError(error);
  return (
    <div class="blank failed" role="alert">
      {own !== '' && <p>{own}</p>}
      {more !== null && more.en !== '' && <p><Said text={more} /></p>}
      {retry && again.has(kind) && (
        <button type="button" class="button" onClick={retry}>{t('state.retry')}</button>
      )}
    </div>
  );
}

/** The few lines for somebody who sees this for the first time. */
export function Intro({ pane }: { pane: Pane }) {
  const open = !folded.value.has(pane);
  return (
    <details class="intro" open={open} onToggle={(event) => fold(pane, !event.currentTarget.open)}>
      <summary>{t('intro.what')}</summary>
      <p>{t(`intro.${pane}`)}</p>
    </details>
  );
}

/** A choice of few, as buttons of which one is pressed. */
export function Choice<V extends string>(p: { label: string; value: V; options: readonly (readonly [V, string])[]; onChange: (value: V) => void }) {
  return (
    <div class="choice" role="group" aria-label={p.label}>
      {p.options.map(([value, text]) => (
        <button type="button" aria-pressed={value === p.value} onClick={() => p.onChange(value)}>{text}</button>
      ))}
    </div>
  );
}

/** A choice of many. */
export function Select<V extends string>(p: { label: string; value: V; options: readonly (readonly [V, string])[]; onChange: (value: V) => void; hidden?: boolean }) {
  return (
    <label class="select">
      <span class={p.hidden ? 'visually-hidden' : 'select-label'}>{p.label}</span>
      <select value={p.value} onChange={(event) => p.onChange(event.currentTarget.value as V)}>
        {p.options.map(([value, text]) => <option value={value} selected={value === p.value}>{text}</option>)}
      </select>
    </label>
  );
}

export function Search(p: { label: string; value: string; onInput: (value: string) => void }) {
  return (
    <input
      class="search"
      type="search"
      placeholder={p.label}
      aria-label={p.label}
      value={p.value}
      spellcheck={false}
      autocomplete="off"
      onInput={(event) => p.onInput(event.currentTarget.value)}
    />
  );
}

/** Sub-views of a pane. */
export function Tabs<V extends string>(p: { label: string; value: V; options: readonly (readonly [V, string])[]; onChange: (value: V) => void }) {
  return (
    <div class="tabs" role="group" aria-label={p.label}>
      {p.options.map(([value, text]) => (
        <button type="button" aria-pressed={value === p.value} onClick={() => p.onChange(value)}>{text}</button>
      ))}
    </div>
  );
}
