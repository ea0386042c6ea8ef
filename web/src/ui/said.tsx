import type { Said as Sentence } from '../backend/questions';
import { plain } from '../lib/escape';
import { lang } from '../state/prefs';

/** A sentence in the page's language, which is told to be English where it is. */
export function Said({ text }: { text: Sentence }) {
  const own = text[lang.value];
  return <span lang={own === text.en ? 'en' : 'zh-CN'}>{plain(own)}</span>;
}

/** A text that there is in English only. */
export function English({ text, class: name }: { text: string; class?: string }) {
  return <span lang="en" class={name}>{plain(text)}</span>;
}
