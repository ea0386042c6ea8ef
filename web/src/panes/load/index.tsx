import { t } from '../../i18n';
import { setView, view } from '../../state/route';
import { Intro, Tabs } from '../../ui/states';
import { Configuration } from './config';
import { Diagram } from './diagram';
import { MemoryView } from './memory';

/** From metadata to what an engine makes of it. */
export function LoadPane() {
  const show = view.value.show ?? 'config';
  return (
    <>
      <Intro pane="load" />
      <Tabs label={t('pane.load')} value={show} options={[['config', t('load.configuration')], ['memory', t('load.memory')], ['diagram', t('load.diagram')]]} onChange={(v) => setView({ show: v === 'config' ? null : v })} />
      {show === 'memory' ? <MemoryView /> : show === 'diagram' ? <Diagram /> : <Configuration />}
    </>
  );
}
