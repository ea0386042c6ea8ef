import { byteAt, fieldAt, usePieces } from '../backend/bytes';
import { fieldTone } from '../lib/colour';
import { lang } from '../state/prefs';
import { fileHead } from '../state/session';
import type { Place } from '../backend/questions';
import { t } from '../i18n';
import { count } from '../lib/format';

/** The first bytes of a place, in the colours of their fields. */
export function RawBytes({ place, most = 48 }: { place: Place; most?: number }) {
  const size = fileHead(place.file)?.size ?? place.end;
  const last = Math.min(place.end, size);
  const end = Math.min(last, place.start + most);
  const { failed } = usePieces(place.file, place.start, end, size, lang.value);
  const out = [];
  if (failed !== null && byteAt(place.file, place.start, size, lang.value) === undefined) return <p class="hint">{t('bytes.not-here')}</p>;
  for (let p = place.start; p < end; p++) {
    const value = byteAt(place.file, p, size, lang.value);
    const f = fieldAt(place.file, p, size, lang.value);
    out.push(<span class={f ? fieldTone(f) : ''}>{value === undefined ? '··' : value.toString(16).padStart(2, '0')}</span>);
  }
  return (
    <div class="rawbytes">
      {out}
      {last > end && <em>{t('walk.more', { n: count(last - end) })}</em>}
    </div>
  );
}
