import { computed, effect, signal } from '@preact/signals';
import type { Lang } from '../backend/questions';

/** What a person chose, kept between visits: language, theme, which introductions are folded. */

function read(key: string): string | null {
  try {
    return localStorage.getItem(`gguf-view-${key}`);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(`gguf-view-${key}`, value);
  } catch {
    // Storage may be refused: the choice then lives as long as the page.
  }
}

export type Theme = 'system' | 'light' | 'dark';

const systemLang: Lang = typeof navigator !== 'undefined' && navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
const dark = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-color-scheme: dark)');
const still = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-reduced-motion: reduce)');

const storedLang = typeof localStorage === 'undefined' ? null : read('lang');
const storedTheme = typeof localStorage === 'undefined' ? null : read('theme');

export const lang = signal<Lang>(storedLang === 'en' || storedLang === 'zh' ? storedLang : systemLang);
export const theme = signal<Theme>(storedTheme === 'light' || storedTheme === 'dark' ? storedTheme : 'system');
const systemDark = signal(dark?.matches ?? false);
/** Less motion was asked for. */
export const reducedMotion = signal(still?.matches ?? false);
export const scheme = computed<'light' | 'dark'>(() => (theme.value === 'system' ? (systemDark.value ? 'dark' : 'light') : theme.value));
export const folded = signal<ReadonlySet<string>>(
  new Set((typeof localStorage === 'undefined' ? '' : (read('folded') ?? '')).split(',').filter(Boolean)),
);

export function fold(pane: string, yes: boolean): void {
  if (folded.value.has(pane) === yes) return;
  const next = new Set(folded.value);
  if (yes) next.add(pane);
  else next.delete(pane);
  folded.value = next;
  write('folded', [...next].join(','));
}

export function setLang(next: Lang): void {
  lang.value = next;
  write('lang', next);
}

/** The language that the page was opened with, where none was chosen here. */
export function offerLang(next: Lang): void {
  if (read('lang') === null) lang.value = next;
}

export function setTheme(next: Theme): void {
  theme.value = next;
  write('theme', next);
}

/** Colours of the style sheet as a canvas needs them. A new object for each scheme. */
export const palette = signal<(name: string) => string>(() => '#888');

export function watchPrefs(): void {
  dark?.addEventListener('change', () => (systemDark.value = dark.matches));
  still?.addEventListener('change', () => (reducedMotion.value = still.matches));
  effect(() => {
    document.documentElement.dataset.theme = scheme.value;
    const style = getComputedStyle(document.documentElement);
    const known = new Map<string, string>();
    palette.value = (name) => {
      let value = known.get(name);
      if (value === undefined) known.set(name, (value = style.getPropertyValue(`--${name}`).trim() || '#888'));
      return value;
    };
  });
  effect(() => {
    document.documentElement.lang = lang.value === 'zh' ? 'zh-CN' : 'en';
  });
}
