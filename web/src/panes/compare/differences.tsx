import { useMemo, useState } from 'preact/hooks';
import { useAnswer } from '../../backend/answers';
import type { Change } from '../../backend/questions';
import { t, tOr } from '../../i18n';
import { count } from '../../lib/format';
import { select } from '../../state/selection';
import { isWhole } from '../../state/session';
import { Grid, type Column } from '../../ui/grid';
import { useDelayed } from '../../ui/hooks';
import { Empty, Failed, Loading, Search, Select } from '../../ui/states';
import { Raw } from '../../ui/text';

/** What differs between two heads. A click shows the bytes on the side that has them. */
export function Differences({ a, b }: { a: number; b: number }) {
  const answer = useAnswer('diff', { a, b });
  const [find, setFind] = useState('');
  const [what, setWhat] = useState('');
  const [at, setAt] = useState<number | null>(null);
  const wanted = useDelayed(find.trim().toLowerCase());
  const changes = answer.data?.changes;
  const rows = useMemo(
    () => (changes ?? []).filter((c) => (what === '' || c.what === what) && (wanted === '' || `${c.name} ${c.a ?? ''} ${c.b ?? ''}`.toLowerCase().includes(wanted))),
    [changes, what, wanted],
  );
  if (answer.error) return <Failed error={answer.error} retry={answer.retry} />;
  if (!answer.data) return <Loading />;
  if (answer.data.changes.length === 0 && answer.data.left_out === 0) return <Empty>{t(isWhole(a, 'keys') && isWhole(b, 'keys') && isWhole(a, 'tensors') && isWhole(b, 'tensors') ? 'compare.same' : 'compare.same-so-far')}</Empty>;
  const kinds = [...new Set(answer.data.changes.map((c) => c.what))];
  const columns: Column<Change>[] = [
    { id: 'kind', label: t('compare.kind'), width: '7rem', min: 440, cell: (c) => <span class={`change ${c.kind}`}>{tOr(`compare.${c.kind}`, c.kind)}</span> },
    { id: 'what', label: t('compare.what'), width: '6rem', min: 760, cell: (c) => <span class="muted">{tOr(`compare.${c.what}`, c.what)}</span> },
    { id: 'name', label: t('compare.name'), width: 'minmax(8rem, 1.3fr)', cell: (c) => (c.a_span || c.b_span ? <Raw text={c.name} class="strong" /> : <span class="strong">{tOr(`differs.${c.name}`, c.name)}</span>) },
    { id: 'a', label: t('compare.left'), width: 'minmax(5rem, 1.2fr)', cell: (c) => <Side text={c.a} other={c.b} /> },
    { id: 'b', label: t('compare.right'), width: 'minmax(5rem, 1.2fr)', cell: (c) => <Side text={c.b} other={c.a} /> },
  ];
  return (
    <section class="fill" aria-label={t('compare.meta')}>
      <div class="bar">
        <Search label={t('tag.filter')} value={find} onInput={setFind} />
        <Select label={t('compare.what')} value={what} options={[['', t('tag.any')], ...kinds.map((k) => [k, tOr(`compare.${k}`, k)] as const)]} onChange={setWhat} />
        <span class="muted">
          {rows.length !== answer.data.changes.length ? t('tag.matched', { n: count(rows.length), total: count(answer.data.changes.length) }) : t('compare.changes', { count: answer.data.changes.length + answer.data.left_out - answer.data.unread })}
          {answer.data.unread > 0 && ` · ${t('compare.not-compared', { count: answer.data.unread })}`}
          {answer.data.left_out > 0 && ` ${t('compare.left-out', { n: count(answer.data.left_out) })}`}
        </span>
      </div>
      <Grid
        label={t('compare.meta')}
        columns={columns}
        rows={rows.length}
        row={(i) => rows[i]}
        current={at}
        onSelect={(i, c) => {
          setAt(i);
          const place = c.a_span ?? c.b_span;
          if (place) select({ ...place });
        }}
        empty={<Empty>{t('state.nothing')}</Empty>}
      />
    </section>
  );
}

/** A side's text from where the two begin to differ, where they have a long beginning in common. */
function Side({ text, other }: { text: string | null; other: string | null }) {
  if (text === null) return <span class="muted">–</span>;
  let common = 0;
  if (other !== null) while (common < text.length && common < other.length && text[common] === other[common]) common++;
  const from = common > 40 ? common - 16 : 0;
  const shown = text.slice(from, from + 240);
  return <span title={text.slice(0, 2000)}>{from > 0 && <span class="muted">…</span>}<Raw text={shown} /></span>;
}
