import { useId, useState } from 'preact/hooks';
import { ask } from '../../backend/answers';
import type { Step } from '../../backend/questions';
import { t } from '../../i18n';
import { plain } from '../../lib/escape';
import { count, size as bytes } from '../../lib/format';
import { lang } from '../../state/prefs';
import { mapOf } from '../../state/session';

/** Steps that are added up at most; a file of more is one of many thousand tensors. */
const most = 20_000;

interface Passed {
  name: string;
  steps: number;
  read: number;
  skipped: number;
}

/** To a key or tensor by its name, and what a reader passes on the way. */
export function Jump({ file, go }: { file: number; size: number; go: (step: number) => void }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [passed, setPassed] = useState<Passed | 'none' | null>(null);
  const regions = (mapOf(file)?.regions ?? []).filter((r) => r.name !== undefined && (r.kind === 'metadata' || r.kind === 'tensor-info'));

  const jump = async (name: string) => {
    const wanted = name.trim();
    if (wanted === '') return;
    const hit = regions.find((r) => r.name === wanted) ?? regions.find((r) => r.name?.toLowerCase().includes(wanted.toLowerCase()));
    if (!hit) {
      setPassed('none');
      return;
    }
    try {
      const { step } = await ask('step_at', { file, offset: hit.start });
      if (step === null) return;
      go(step);
      setPassed(step <= most ? await add(file, step, plain(hit.name ?? '')) : null);
    } catch {
      setPassed('none');
    }
  };
  return (
    <form class="bar" onSubmit={(event) => { event.preventDefault(); void jump(typed); }}>
      <label class="select"><span class="select-label">{t('walk.jump')}</span>
        <input class="search mono" list={id} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} onChange={(event) => regions.some((r) => r.name === event.currentTarget.value) && void jump(event.currentTarget.value)} />
      </label>
      <datalist id={id}>{regions.slice(0, 300).map((r) => <option value={r.name ?? ''} />)}</datalist>
      <button type="submit" class="button">{t('bytes.go-button')}</button>
      {passed !== null && (
        <p class="hint jump-told" role="status">
          {passed === 'none' ? t('state.nothing') : t('walk.jumped', { name: passed.name, steps: count(passed.steps), read: bytes(passed.read), skipped: bytes(passed.skipped) })}
        </p>
      )}
    </form>
  );
}

async function add(file: number, until: number, name: string): Promise<Passed> {
  const sum: Passed = { name, steps: 0, read: 0, skipped: 0 };
  for (let from = 1; from < until; from += 256) {
    const answer = await ask('steps', { file, from, count: 256, lang: lang.value });
    for (const s of answer.steps as Step[]) {
      if (s.step >= until) break;
      if (s.jumps) sum.skipped += s.end - s.start;
      else {
        sum.steps++;
        sum.read += s.end - s.start;
      }
    }
  }
  return sum;
}
