import { useMemo, useState } from 'preact/hooks';
import { useAnswer } from '../../backend/answers';
import type { Message, Template as T } from '../../backend/questions';
import { t } from '../../i18n';
import { plain } from '../../lib/escape';
import { jinja } from '../../lib/jinja';
import { lang } from '../../state/prefs';
import { go } from '../../state/route';
import { select } from '../../state/selection';
import { model, session } from '../../state/session';
import { Absent, Partial } from '../../ui/absent';
import { useDelayed } from '../../ui/hooks';
import { Empty, Failed, Loading, Select } from '../../ui/states';
import { Said } from '../../ui/said';
import { Raw } from '../../ui/text';

/** Chat templates: read, and tried on a conversation. */
export function Template() {
  const answer = useAnswer('templates', model.value ? { model: model.value.model } : null);
  const [name, setName] = useState<string | null>(null);
  if (answer.error) return <Failed error={answer.error} retry={answer.retry} />;
  if (!answer.data) return <Loading />;
  const chosen = answer.data.templates.find((x) => x.name === name) ?? answer.data.templates[0];
  if (!chosen) return <Absent what="template">{t('tag.no-template')}</Absent>;
  return (
    <div class="template fill scroll">
      <section class="template-source" aria-label={t('tag.source')}>
        <div class="bar">
          <h2 class="bar-title">{t('tag.source')}</h2>
          {answer.data.templates.length > 1 && <Select label={t('tag.template-name')} hidden value={chosen.name} options={answer.data.templates.map((x) => [x.name, plain(x.name)] as const)} onChange={setName} />}
          <span class="bar-room" />
          <button type="button" class="button small" onClick={() => { select({ ...chosen.span }); go('bytes'); }}>{t('tag.show-bytes')}</button>
        </div>
        <Source text={chosen.text} />
        {chosen.cut && <p class="hint">{t('sel.cut')}</p>}
        <p class="hint mono small">SHA-256 {chosen.sha256.slice(0, 16)}…</p>
      </section>
      {session.value?.can.render ? <Trial key={chosen.name} template={chosen} /> : <Empty>{t('tag.no-render')}</Empty>}
    </div>
  );
}

/** Highlighting is for reading; a text that nobody reads is not taken to pieces. */
const readable = 60_000;

function Source({ text }: { text: string }) {
  const tokens = useMemo(() => (text.length > readable ? [{ text, kind: 'plain' }] : jinja(text)), [text]);
  return <pre class="code" tabIndex={0}>{tokens.map((x) => <span class={x.kind === 'plain' && x.text.trim() === '' ? '' : `j-${x.kind}`}><Raw text={x.text} lines /></span>)}</pre>;
}

function Trial({ template }: { template: T }) {
  const [messages, setMessages] = useState<Message[]>(() => [
    { role: 'system', content: t('tag.sample-system') },
    { role: 'user', content: t('tag.sample-user') },
    { role: 'assistant', content: t('tag.sample-assistant') },
    { role: 'user', content: t('tag.sample-user2') },
  ]);
  const [generate, setGenerate] = useState(true);
  const asked = useDelayed(JSON.stringify(messages), 300);
  const answer = useAnswer('render', model.value ? { model: model.value.model, template: template.name, messages: asked, generate: generate ? 1 : 0 } : null);
  const set = (i: number, change: Partial<Message>) => setMessages(messages.map((m, k) => (k === i ? { ...m, ...change } : m)));
  return (
    <>
      <section class="template-talk" aria-label={t('tag.conversation')}>
        <div class="bar"><h2 class="bar-title">{t('tag.conversation')}</h2></div>
        <ol class="talk" lang={lang.value}>
          {messages.map((m, i) => (
            <li class={`talk-${m.role}`}>
              <div class="talk-head">
                <input class="talk-role" list="roles" value={m.role} aria-label={t('tag.roleOf', { n: i + 1 })} onInput={(e) => set(i, { role: e.currentTarget.value })} />
                <button type="button" class="icon" aria-label={t('tag.remove', { n: i + 1 })} title={t('tag.remove', { n: i + 1 })} onClick={() => setMessages(messages.filter((_, k) => k !== i))}>×</button>
              </div>
              <textarea rows={2} value={m.content} aria-label={t('tag.contentOf', { n: i + 1 })} onInput={(e) => set(i, { content: e.currentTarget.value })} />
            </li>
          ))}
        </ol>
        <datalist id="roles">{['system', 'user', 'assistant', 'tool'].map((r) => <option value={r} />)}</datalist>
        <div class="bar">
          <button type="button" class="button" onClick={() => setMessages([...messages, { role: messages.at(-1)?.role === 'user' ? 'assistant' : 'user', content: '' }])}>{t('tag.add-message')}</button>
          <label class="check"><input type="checkbox" checked={generate} onChange={(e) => setGenerate(e.currentTarget.checked)} /> {t('tag.generate')}</label>
        </div>
      </section>
      <section class="template-result" aria-label={t('tag.rendered')}>
        <div class="bar"><h2 class="bar-title">{t('tag.rendered')}</h2>{answer.busy && <span class="muted" role="status">{t('tag.rendering')}</span>}</div>
        <Partial what="special" />
        {answer.error ? <Failed error={answer.error} retry={answer.retry} /> : answer.data?.error ? <div class="blank failed" role="alert"><p>{t('tag.render-failed')}</p><p><Said text={answer.data.error} /></p></div> : <Rendered text={answer.data?.text ?? ''} />}
      </section>
    </>
  );
}

/** The rendered text; what looks like a special token is set off. */
function Rendered({ text }: { text: string }) {
  const parts = text.length > readable ? [text] : text.split(/(<\|[^|>\n]{1,60}\|>|<\/?s>|<[a-z_]{1,40}>|\[\/?[A-Z_]{2,40}\])/);
  return <pre class="code rendered" tabIndex={0}>{parts.map((p, i) => (i % 2 ? <span class="special"><Raw text={p} lines /></span> : <Raw text={p} lines />))}</pre>;
}
