import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Entry } from '../../backend/questions';
import { useEntries } from '../../backend/lists';
import { t } from '../../i18n';
import { count, hex } from '../../lib/format';
import { flatten, type TreeRow } from '../../lib/tree';
import { lang } from '../../state/prefs';
import { go } from '../../state/route';
import { hover, hovered, select, selected } from '../../state/selection';
import { model, selectedRegion } from '../../state/session';
import { Absent, counted } from '../../ui/absent';
import { Grid, type Column } from '../../ui/grid';
import { useDelayed } from '../../ui/hooks';
import { RawBytes } from '../../ui/rawbytes';
import { Empty, Failed, Loading, Search, Select } from '../../ui/states';
import { Raw } from '../../ui/text';

const closedKeys = new Set<string>();

/** Keys as a tree by their namespaces. */
export function Keys() {
  const entries = useEntries(model.value?.model ?? null, lang.value);
  const [find, setFind] = useState('');
  const [type, setType] = useState('');
  const [closed, setClosed] = useState<ReadonlySet<string>>(closedKeys);
  const wanted = useDelayed(find.trim().toLowerCase());
  useEffect(() => {
    closedKeys.clear();
    for (const c of closed) closedKeys.add(c);
  }, [closed]);

  const hits = useMemo(
    () =>
      entries.rows.filter(
        (e) => (type === '' || e.type === type) && (wanted === '' || `${e.key}\n${e.value}\n${e.says ?? ''}\n${e.meaning ?? ''}`.toLowerCase().includes(wanted)),
      ),
    [entries.rows, type, wanted],
  );
  const filtered = wanted !== '' || type !== '';
  const rows = useMemo(() => flatten(hits, filtered ? new Set() : closed), [hits, closed, filtered]);
  const types = useMemo(() => [...new Set(entries.rows.map((e) => e.type))].sort(), [entries.rows]);
  const groups = useMemo(() => rows.filter((r) => r.entry === null).map((r) => r.id), [rows]);

  const region = selectedRegion.value;
  const current = useMemo(() => {
    const at = selected.value;
    if (!at || region?.kind !== 'metadata') return null;
    const i = rows.findIndex((r) => r.entry !== null && r.entry.file === at.file && r.entry.span.start <= at.start && at.start < r.entry.span.end);
    return i < 0 ? null : i;
  }, [rows, region, selected.value]);

  if (entries.error) return <Failed error={entries.error} retry={entries.retry} />;
  if (entries.total === null) return <Loading />;
  if (entries.total === 0) return <Absent what="keys">{t('tag.no-pairs')}</Absent>;

  const toggle = (id: string, open?: boolean) => {
    const next = new Set(closed);
    if (open ?? next.has(id)) next.delete(id);
    else next.add(id);
    setClosed(next);
  };
  const pick = (row: TreeRow) => {
    if (row.entry) select({ ...row.entry.span, path: `kv[${row.entry.index}]` });
    else toggle(row.id);
  };
  const columns: Column<TreeRow>[] = [
    {
      id: 'key', label: t('tag.key'), width: 'minmax(11rem, 1.3fr)',
      cell: (r) => (
        <span class="tree" data-level={Math.min(r.level, 4)}>
          {r.entry === null ? (
            <>
              <i class={`twist ${r.open ? 'open' : ''}`} aria-hidden="true" />
              <Raw text={r.label} class="strong" />
              <span class="badge">{count(r.size)}</span>
            </>
          ) : (
            <Raw text={r.label} />
          )}
        </span>
      ),
    },
    { id: 'type', label: t('tag.type'), width: '8rem', min: 480, cell: (r) => <span class="mono small muted">{r.entry?.type ?? ''}</span> },
    { id: 'value', label: t('tag.value'), width: 'minmax(9rem, 2fr)', cell: (r) => r.entry && <ValueCell entry={r.entry} /> },
    { id: 'offset', label: t('tag.offset'), width: '6.5rem', number: true, min: 640, cell: (r) => r.entry && <span class="mono muted">{hex(r.entry.span.start)}</span> },
  ];
  const under = hovered.value ?? selected.value;
  return (
    <section class="fill" aria-label={t('tag.keys')}>
      <div class="bar">
        <Search label={t('tag.filter')} value={find} onInput={setFind} />
        <Select label={t('tag.type')} value={type} options={[['', t('tag.any')], ...types.map((x) => [x, x] as const)]} onChange={setType} />
        <span class="muted">{filtered ? t('tag.matched', { n: count(hits.length), total: count(entries.total) }) : counted('keys', t('tag.pairs', { count: entries.total }))}</span>
        <span class="bar-room" />
        <button type="button" class="button" onClick={() => setClosed(closed.size > 0 ? new Set() : new Set(groups))}>{closed.size > 0 ? t('tag.expand') : t('tag.collapse')}</button>
      </div>
      <Grid
        label={t('tag.keys')}
        columns={columns}
        rows={rows.length}
        row={(i) => rows[i]}
        current={current}
        level={(r) => (r.entry === null ? { level: r.level + 1, expanded: r.open } : { level: r.level + 1 })}
        rowClass={(r) => (r.entry === null ? 'group' : '')}
        onSelect={(_, r) => pick(r)}
        onOpen={(_, r) => r.entry && (r.entry.count !== null || r.entry.cut) && go('tag', { show: 'value' })}
        onHover={(_, r) => hover(r?.entry ? { ...r.entry.span, path: `kv[${r.entry.index}]` } : null)}
        onKey={(event, i, r) => {
          if (!r || (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft') || r.entry) return false;
          if (r.open !== (event.key === 'ArrowRight')) toggle(rows[i]?.id ?? '', event.key === 'ArrowRight');
          return true;
        }}
        empty={<Empty>{t('state.nothing')} <button type="button" class="link" onClick={() => { setFind(''); setType(''); }}>{t('state.clear')}</button></Empty>}
      />
      <div class="under">{under ? <RawBytes place={under} most={40} /> : <span class="hint">{t('sel.raw')}</span>}</div>
    </section>
  );
}

export function ValueCell({ entry }: { entry: Entry }) {
  if (entry.count !== null) {
    return (
      <span class="value">
        <span class="badge">{t('tag.elements', { count: Number(entry.count) })}</span> <span class="muted"><Raw text={entry.value} /></span>
      </span>
    );
  }
  return (
    <span class={`value ${entry.type === 'string' ? 'text' : 'figure'}`}>
      <Raw text={entry.value.length > 300 ? entry.value.slice(0, 300) + '…' : entry.value} />
      {entry.says && <span class="muted"> <Raw text={entry.says} /></span>}
    </span>
  );
}
