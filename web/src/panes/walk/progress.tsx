import type { Step } from '../../backend/questions';
import { t } from '../../i18n';
import { size as bytes } from '../../lib/format';

/** Steps that are added up at most, so that a file of very many tensors is not asked for as a whole. */
const most = 6000;

/** Of the head: what was read, what was jumped over unseen, what lies ahead. */
export function Progress({ at, row, end }: { at: number; row: (index: number) => Step | undefined; end: number }) {
  if (at > most || end <= 0) return null;
  let read = 0;
  let jumped = 0;
  for (let i = 0; i < at; i++) {
    const s = row(i);
    if (!s) return <div class="progress" />;
    if (s.jumps) jumped += s.end - s.start;
    else read += s.end - s.start;
  }
  const ahead = Math.max(0, end - read - jumped);
  const parts = [['read', t('walk.read-so-far'), read], ['jumped', t('walk.jumped-so-far'), jumped], ['ahead', t('walk.not-yet'), ahead]] as const;
  return (
    <div class="progress">
      <div class="progress-bar" aria-hidden="true">{parts.map(([name, , n]) => <i class={name} style={{ flexGrow: n }} />)}</div>
      <p class="hint">{parts.map(([name, word, n]) => <span><i class={`dot ${name}`} />{word} <b>{bytes(n)}</b></span>)}</p>
    </div>
  );
}
