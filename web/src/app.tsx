import { useEffect, useRef } from 'preact/hooks';
import { t } from './i18n';
import { plain } from './lib/escape';
import { count, hex, size } from './lib/format';
import { modelName } from './lib/model';
import { lang, setLang, setTheme, theme, type Theme } from './state/prefs';
import { pane, panes, go, type Pane } from './state/route';
import { lost, select } from './state/selection';
import { chooseModel, failure, fileHead, files, maps, model, open, session } from './state/session';
import { Inspector } from './ui/inspector';
import { fileName, Partial } from './ui/absent';
import { Said } from './ui/said';
import { Strip } from './ui/strip';
import { Failed, Loading, Select } from './ui/states';
import { MapPane } from './panes/map';
import { TagPane } from './panes/tag';
import { BytesPane } from './panes/bytes';
import { WalkPane } from './panes/walk';
import { LoadPane } from './panes/load';
import { TensorsPane } from './panes/tensors';
import { CheckPane } from './panes/check';
import { ComparePane } from './panes/compare';

const drawn: Record<Pane, () => preact.ComponentChild> = {
  map: () => <MapPane />,
  tag: () => <TagPane />,
  bytes: () => <BytesPane />,
  walk: () => <WalkPane />,
  load: () => <LoadPane />,
  tensors: () => <TensorsPane />,
  check: () => <CheckPane />,
  compare: () => <ComparePane />,
};

/** The frame: what is open, the strip, the way to the panes, and one of them with what is selected beside it. */
export function App() {
  const s = session.value;
  const m = model.value;
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById('main')?.focus(); }}>{t('app.skip')}</a>
      <header class="top">
        <p class="mark"><Mark /> gguf view</p>
        {s && m && (
          <div class="opened">
            {s.models.length > 1 ? (
              <Select label={t('app.model')} hidden value={String(m.model)} options={s.models.map((x) => [String(x.model), modelName(x, s.models)] as const)} onChange={(x) => void chooseModel(Number(x))} />
            ) : (
              <h1 title={plain(m.name)}>{plain(m.name)}</h1>
            )}
            <span class="facts">
              {size(files.value.reduce((n, f) => n + f.size, 0))}
              {m.files_declared > 1 && ` · ${m.files_declared > files.value.length ? t('app.files-of', { n: files.value.length, total: m.files_declared }) : t('app.files', { count: files.value.length })}`}
              {files.value[0]?.version != null && ` · GGUF v${files.value[0].version}`}
              {files.value[0]?.endian === 'big' && ` · ${t('app.big-endian')}`}
            </span>
          </div>
        )}
        <div class="prefs">
          <div class="choice" role="group" aria-label={t('app.language')}>
            <button type="button" lang="en" aria-pressed={lang.value === 'en'} onClick={() => setLang('en')}>EN</button>
            <button type="button" lang="zh-CN" aria-pressed={lang.value === 'zh'} onClick={() => setLang('zh')}>中文</button>
          </div>
          <Select<Theme> label={t('app.theme')} hidden value={theme.value} options={[['system', t('app.theme-system')], ['light', t('app.theme-light')], ['dark', t('app.theme-dark')]]} onChange={setTheme} />
        </div>
      </header>
      {s && <Strip />}
      <Nav />
      <div class="stage">
        <main id="main" tabIndex={-1} aria-label={t(`pane.${pane.value}`)} class={`pane pane-${pane.value}`}>
          {s && <Notices />}
          {failure.value ? <Failed error={failure.value} retry={() => void open()} /> : s && maps.value.length > 0 ? drawn[pane.value]() : s && files.value.length === 0 ? <Notices /> : <Loading />}
        </main>
        {s && <Inspector />}
      </div>
    </>
  );
}

function Mark() {
  return (
    <svg class="mark-svg" viewBox="0 0 32 20" width="32" height="20" aria-hidden="true">
      <rect class="fill-header" x="0" y="4" width="4" height="12" rx="1" />
      <rect class="fill-metadata" x="5" y="4" width="8" height="12" rx="1" />
      <rect class="fill-tensor-info" x="14" y="4" width="4" height="12" rx="1" />
      <rect class="fill-tensor" x="19" y="4" width="13" height="12" rx="1" />
      <rect class="fill-accent" x="9" y="0" width="2.5" height="20" rx="1" />
    </svg>
  );
}

function Nav() {
  const here = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pane.value, lang.value]);
  return (
    <nav class="panes" aria-label={t('app.panes')}>
      <ul>
        {panes.map((p) => (
          <li>
            <button type="button" ref={p === pane.value ? here : undefined} aria-current={p === pane.value ? 'page' : undefined} onClick={() => go(p)}>{t(`pane.${p}`)}</button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** What everybody has to know before reading on: a head that breaks off, a set with shards missing, a report that left things out. */
function Notices() {
  const errors = files.value.flatMap((f) => f.errors.map((e) => ({ ...e, file: f.file, headless: f.head_end === null })));
  const problems = model.value?.problems ?? [];
  const capped = session.value?.capped ?? [];
  if (errors.length + problems.length + capped.length === 0 && lost.value === null) return null;
  return (
    <div class="notices">
      {lost.value !== null && <Missed />}
      {errors.map((e) => (
        <div class="notice error" role="alert">
          <p>{fileName(e.file) !== '' && <b>{fileName(e.file)}</b>}{e.headless && <strong>{t('app.broken')}{t('app.colon')}</strong>}<Said text={e.message} /></p>
          {e.help && <p class="muted"><Said text={e.help} /></p>}
          {e.offset != null && <button type="button" class="link" onClick={() => { select({ file: e.file, start: e.offset ?? 0, end: (e.offset ?? 0) + 1 }); go('bytes'); }}>{t('check.show-bytes')}</button>}{' '}
          <SeeCheck />
        </div>
      ))}
      {problems.map((p) => <div class="notice warning"><p><Said text={p.message} /></p>{p.help && <p class="muted"><Said text={p.help} /></p>}<SeeCheck /></div>)}
      {capped.length > 0 && (
        <details class="notice note">
          <summary><strong>{t('app.capped')}</strong></summary>
          <ul>{capped.map((c) => <li><Said text={c} /></li>)}</ul>
        </details>
      )}
    </div>
  );
}

/** An address that names what is not there. */
function Missed() {
  const of = lost.value;
  if (of === null) return null;
  const head = of.what === 'place' ? fileHead(of.file) : null;
  return (
    <div class="notice warning" role="status">
      <p>{of.what === 'file' ? t('lost.file') : of.what === 'place' ? t('lost.place', { at: hex(of.at), name: plain(head?.name ?? ''), size: count(head?.size ?? 0) }) : t(`lost.${of.what}`, { name: plain(of.name) })}</p>
      {of.what === 'key' && <Partial what="more-keys" />}
      {of.what === 'tensor' && <Partial what="more-tensors" />}
    </div>
  );
}

function SeeCheck() {
  return pane.value === 'check' ? null : <button type="button" class="link" onClick={() => go('check')}>{t('app.see-check')}</button>;
}
