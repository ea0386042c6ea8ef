import { useState } from 'preact/hooks';
import type { ModelHead } from '../../backend/questions';
import { t } from '../../i18n';
import { modelName } from '../../lib/model';
import { isHeadless } from '../../lib/reach';
import { setView, view } from '../../state/route';
import { model, session } from '../../state/session';
import { unreadText } from '../../ui/absent';
import { Empty, Intro, Select, Tabs } from '../../ui/states';
import { Differences } from './differences';
import { Weights } from './weights';

/** Two of the open models, side by side. */
export function ComparePane() {
  const models = session.value?.models ?? [];
  const first = model.value?.model ?? 0;
  const [a, setA] = useState(() => models.find((m) => m.model === Number(view.value.a ?? ''))?.model ?? first);
  const [b, setB] = useState(() => models.find((m) => m.model === Number(view.value.b ?? 'none'))?.model ?? models.find((m) => m.model !== first)?.model ?? first);
  if (models.length < 2) return <><Intro pane="compare" /><Empty>{t('compare.one')}</Empty></>;
  const sides = [a, b].map((n) => models.find((m) => m.model === n) ?? null);
  const options = models.map((m) => [String(m.model), modelName(m, models)] as const);
  const show = view.value.show === 'weights' ? 'weights' : 'meta';
  const set = (left: number, right: number) => {
    setA(left);
    setB(right);
    setView({ a: String(left), b: String(right) });
  };
  return (
    <>
      <Intro pane="compare" />
      <div class="bar">
        <Select label={t('compare.a')} value={String(a)} options={options} onChange={(m) => set(Number(m), b)} />
        <button type="button" class="button" onClick={() => set(b, a)}>⇄ {t('compare.swap')}</button>
        <Select label={t('compare.b')} value={String(b)} options={options} onChange={(m) => set(a, Number(m))} />
        <span class="bar-room" />
        <Tabs label={t('pane.compare')} value={show} options={[['meta', t('compare.meta')], ['weights', t('compare.weights')]]} onChange={(v) => setView({ show: v === 'meta' ? null : v })} />
      </div>
      {sides.map((side, i) => <Unread of={side} side={t(i === 0 ? 'compare.a' : 'compare.b')} />)}
      {sides.some((side) => side && isHeadless(side.read.keys)) ? null : show === 'weights' ? <Weights key={`${a} ${b}`} a={a} b={b} /> : <Differences a={a} b={b} />}
    </>
  );
}

/** What of a side was not read, so that nothing of it is called absent. */
function Unread({ of, side }: { of: ModelHead | null; side: string }) {
  const texts = [unreadText('more-keys', of), unreadText('more-tensors', of)].filter((text): text is string => text !== null);
  return <>{texts.map((text) => <p class="hint unread"><b>{side}</b>{t('app.colon')}{text}</p>)}</>;
}
