import { useState } from 'preact/hooks';
import { useEntries } from '../../backend/lists';
import { useElements } from '../../backend/pages';
import { piece, pieceAt, usePieces } from '../../backend/bytes';
import type { Element, Entry } from '../../backend/questions';
import { t } from '../../i18n';
import { entryAt } from '../../lib/find';
import { count, hex } from '../../lib/format';
import { lang } from '../../state/prefs';
import { hover, select, selected } from '../../state/selection';
import { fileHead, model, selectedRegion } from '../../state/session';
import { Grid, type Column } from '../../ui/grid';
import { Empty, Failed, Loading } from '../../ui/states';
import { Raw } from '../../ui/text';

/** One value whole: an array's elements, a text in full. */
export function Value() {
  const entries = useEntries(model.value?.model ?? null, lang.value);
  const region = selectedRegion.value;
  const at = selected.value;
  const entry = region?.kind === 'metadata' ? entryAt(entries.rows, at) : undefined;
  if (!entry) return entries.total === null ? <Loading /> : <Empty>{t('sel.none')}</Empty>;
  return (
    <section class="fill" aria-label={entry.key}>
      <div class="bar"><h2 class="bar-title"><Raw text={entry.key} /></h2><span class="mono small muted">{entry.type}</span></div>
      {entry.count !== null ? <Elements key={entry.index} entry={entry} /> : <Whole entry={entry} />}
    </section>
  );
}

function Elements({ entry }: { entry: Entry }) {
  const [within, setWithin] = useState('');
  const paged = useElements({ file: entry.file, kv: entry.index, ...(within ? { within } : {}) });
  const at = selected.value;
  if (paged.error && paged.total === null) return <Failed error={paged.error} />;
  if (paged.total === null) return <Loading />;
  const columns: Column<Element>[] = [
    { id: 'index', label: '#', width: '5.5rem', number: true, cell: (e) => <span class="mono muted">{count(e.index)}</span> },
    {
      id: 'value', label: t('tag.value'), width: 'minmax(8rem, 1fr)',
      cell: (e) => (e.count === null ? <span class={e.type === 'string' ? 'value text' : 'value figure'}><Raw text={e.value} />{e.cut && '…'}</span> : (
        <button type="button" class="link" onClick={() => setWithin(within ? `${within}.${e.index}` : String(e.index))}>{t('tag.elements', { count: Number(e.count) })}</button>
      )),
    },
    { id: 'offset', label: t('tag.offset'), width: '7rem', number: true, min: 360, cell: (e) => <span class="mono muted">{hex(e.span.start)}</span> },
  ];
  return (
    <>
      {within && <p class="bar"><button type="button" class="button" onClick={() => setWithin(within.includes('.') ? within.slice(0, within.lastIndexOf('.')) : '')}>←</button><span class="mono">[{within}]</span></p>}
      <Grid
        label={entry.key}
        columns={columns}
        rows={paged.total}
        row={paged.row}
        onSelect={(_, e) => select({ ...e.span, path: `kv[${entry.index}].value[${within ? `${within.replaceAll('.', '][')}][` : ''}${e.index}]` })}
        rowClass={(e) => (at && at.file === e.span.file && at.start >= e.span.start && at.end <= e.span.end ? 'current' : '')}
        onHover={(_, e) => hover(e ? { ...e.span } : null)}
        empty={<Empty>{t('state.nothing')}</Empty>}
      />
    </>
  );
}

/** Texts are shown up to here; the bytes have the rest. */
const most = 64 * piece;

function Whole({ entry }: { entry: Entry }) {
  // A string's value is its length, 8 bytes (4 in version 1), and then the text.
  const head = fileHead(entry.file);
  const size = head?.size ?? 0;
  const start = entry.type === 'string' ? entry.value_span.start + (head?.version === 1 ? 4 : 8) : entry.value_span.start;
  const end = Math.min(entry.value_span.end, start + most);
  const { failed } = usePieces(entry.file, start, entry.cut ? end : start + 1, size, lang.value);
  if (!entry.cut) return <pre class="whole" tabIndex={0}><Raw text={entry.value} lines /></pre>;
  const bytes = new Uint8Array(end - start);
  for (let i = Math.floor(start / piece); i * piece < end; i++) {
    const stretch = pieceAt(entry.file, i, size, lang.value);
    if (!stretch) return failed ? <Failed error={failed} /> : <Loading />;
    const from = Math.max(start, stretch.start);
    bytes.set(stretch.data.subarray(from - stretch.start, Math.min(end, stretch.end) - stretch.start), from - start);
  }
  return (
    <pre class="whole" tabIndex={0}>
      <Raw text={new TextDecoder().decode(bytes)} lines />
      {end < entry.value_span.end && <em> … {t('sel.cut')}</em>}
    </pre>
  );
}
