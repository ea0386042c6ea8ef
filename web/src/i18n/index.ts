import i18next from 'i18next';
import { lang } from '../state/prefs';
import { en } from './en';
import { zh } from './zh';

/** Names of the texts: `pane.map`, `map.zoomIn`, ... Plural forms go by the name without `_one`, `_other`. */
type Leaves<T, P extends string = ''> = {
  [K in keyof T & string]: T[K] extends string ? `${P}${K extends `${infer B}_one` | `${infer B}_other` ? B : K}` : Leaves<T[K], `${P}${K}.`>;
}[keyof T & string];
export type Text = Leaves<typeof en>;

const texts = i18next.createInstance();
void texts.init({
  resources: { en: { translation: en }, zh: { translation: zh } },
  lng: 'en',
  fallbackLng: 'en',
  initAsync: false,
  nsSeparator: false,
  // What is put in becomes a text node, never HTML.
  interpolation: { escapeValue: false },
});

const inLanguage = { en: texts.getFixedT('en'), zh: texts.getFixedT('zh') };

export function t(name: Text, values: Record<string, string | number> = {}): string {
  return inLanguage[lang.value](name, values);
}

/** The text with this name, or the word itself where there is none: kinds, groups and settings come from the backend. */
export function tOr(name: string, word: string): string {
  const found = inLanguage[lang.value](name, { defaultValue: '' });
  return found === '' ? word : found;
}
