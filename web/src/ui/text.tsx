import { pieces } from '../lib/escape';

/**
 * Text of a file: text nodes only. Characters that cannot be seen, or that would turn the line around, are written out, and its
 * direction stays inside.
 */
export function Raw({ text, lines = false, class: cls = '' }: { text: string; lines?: boolean; class?: string }) {
  return (
    <bdi class={`raw ${lines ? 'raw-lines' : ''} ${cls}`}>
      {pieces(text, lines).map((p) => (p.escaped ? <span class="esc">{p.text}</span> : p.text))}
    </bdi>
  );
}
