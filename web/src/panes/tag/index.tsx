import { t } from '../../i18n';
import { setView, view } from '../../state/route';
import { selectedRegion } from '../../state/session';
import { Intro, Tabs } from '../../ui/states';
import { Keys } from './keys';
import { Template } from './template';
import { Value } from './value';
import { Vocabulary } from './vocabulary';

/** The metadata: keys, one value whole, the vocabulary, the chat template. */
export function TagPane() {
  const show = view.value.show ?? 'keys';
  const region = selectedRegion.value;
  const views = [['keys', t('tag.keys')], ['vocabulary', t('tag.vocabulary')], ['template', t('tag.template')]] as const;
  const options = show === 'value' || region?.kind === 'metadata' ? [views[0], ['value', t('tag.value')] as const, views[1], views[2]] : views;
  return (
    <>
      <Intro pane="tag" />
      <Tabs label={t('tag.views')} value={show} options={options as readonly (readonly [string, string])[]} onChange={(v) => setView({ show: v === 'keys' ? null : v })} />
      {show === 'vocabulary' ? <Vocabulary /> : show === 'template' ? <Template /> : show === 'value' ? <Value /> : <Keys />}
    </>
  );
}
