import { useState } from 'preact/hooks';
import { useAnswer } from '../backend/answers';
import { t } from '../i18n';
import { lang } from '../state/prefs';
import { Markdown } from './markdown';
import { Failed, Loading } from './states';

/** What `gguf explain` says about a type, a key or a rule, on request. */
export function Manual({ what, label }: { what: string; label: string }) {
  const [open, setOpen] = useState(false);
  return (
    <div class="manual">
      <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? t('check.hide-manual') : label}</button>
      {open && <Text what={what} />}
    </div>
  );
}

function Text({ what }: { what: string }) {
  const answer = useAnswer('explain', { what, lang: lang.value });
  if (answer.error) return <Failed error={answer.error} retry={answer.retry} />;
  return answer.data ? <div lang={answer.data.lang === 'en' ? 'en' : 'zh-CN'}><Markdown text={answer.data.text} /></div> : <Loading />;
}
