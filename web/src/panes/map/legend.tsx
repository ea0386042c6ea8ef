import { layerColour, typeColour, type Colouring } from '../../lib/colour';
import { t, tOr } from '../../i18n';
import { maps } from '../../state/session';
import type { RegionKind } from '../../backend/questions';

const order: RegionKind[] = ['before', 'header', 'metadata', 'tensor-info', 'padding', 'tensor', 'gap', 'trailing', 'unread'];

/** What the colours of the map mean. */
export function Legend({ colouring, types, layers, dark }: { colouring: Colouring; types: string[]; layers: number; dark: boolean }) {
  if (colouring === 'layer' && layers > 0) {
    const stops = Array.from({ length: 9 }, (_, i) => layerColour(Math.round((i / 8) * (layers - 1)), layers, dark)).join(', ');
    return (
      <ul class="legend" aria-label={t('map.legend')}>
        <li>{t('map.layer-first')} <i class="ramp" style={{ backgroundImage: `linear-gradient(90deg, ${stops})` }} /> {t('map.layer-last', { n: layers - 1 })}</li>
        <li><i class="dot bg-tensor" />{t('map.no-layer')}</li>
      </ul>
    );
  }
  if (colouring === 'type' && types.length > 0) {
    return (
      <ul class="legend" aria-label={t('map.legend')}>
        {types.map((type) => <li><i class={`dot bg-${typeColour(type)}`} />{type}</li>)}
      </ul>
    );
  }
  const met = new Set(maps.value.flatMap((m) => m.regions.map((r) => r.kind)));
  return (
    <ul class="legend" aria-label={t('map.legend')}>
      {order.filter((k) => met.has(k)).map((k) => <li><i class={`dot bg-${k}`} />{tOr(`kind.${k}`, k)}</li>)}
    </ul>
  );
}
