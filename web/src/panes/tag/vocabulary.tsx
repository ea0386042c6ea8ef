import { useState } from 'preact/hooks';
import { useTokens } from '../../backend/pages';
import type { Token } from '../../backend/questions';
import { t, tOr } from '../../i18n';
import { count, num } from '../../lib/format';
import { hover, select, selected } from '../../state/selection';
import { model } from '../../state/session';
import { Absent } from '../../ui/absent';
import { Grid, type Column } from '../../ui/grid';
import { useDelayed } from '../../ui/hooks';
import { Empty, Failed, Loading, Search, Select } from '../../ui/states';
import { Raw } from '../../ui/text';

/** The vocabulary, of any size: searched, filtered and sorted where it lies, shown as it scrolls by. */
export function Vocabulary() {
  const [find, setFind] = useState('');
  const [type, setType] = useState('');
  const [sort, setSort] = useState<'id' | 'score'>('id');
  const wanted = useDelayed(find);
  const tokens = useTokens(
    model.value
      ? { model: model.value.model, ...(wanted ? { find: wanted } : {}), ...(type ? { type } : {}), ...(sort === 'score' ? { sort } : {}) }
      : null,
  );
  const at = selected.value;
  const [last, setLast] = useState<{ total: number; types: { type: string; count: number }[] } | null>(null);
  if (tokens.total !== null && last?.total !== tokens.total) setLast({ total: tokens.total, types: tokens.types });

  if (tokens.error && tokens.total === null) return <Failed error={tokens.error} />;
  if (tokens.total === 0) return <Absent what="vocabulary">{t('tag.no-tokens')}</Absent>;
  if (!last) return <Loading />;
  const columns: Column<Token>[] = [
    { id: 'id', label: t('tag.id'), width: '5.5rem', number: true, cell: (x) => <span class="mono muted">{x.id}</span> },
    { id: 'text', label: t('tag.token'), width: 'minmax(8rem, 2fr)', cell: (x) => <span class="token"><Raw text={x.text} /></span> },
    { id: 'decoded', label: t('tag.decoded'), width: 'minmax(5rem, 1fr)', min: 460, cell: (x) => x.decoded !== null && <span class="token"><Raw text={x.decoded} /></span> },
    { id: 'type', label: t('tag.type'), width: '7rem', min: 420, cell: (x) => <span class={x.type === 'normal' ? 'muted' : ''}>{x.type === null ? '' : tOr(`token.${x.type}`, x.type)}</span> },
    { id: 'score', label: t('tag.score'), width: '7rem', number: true, min: 520, cell: (x) => (x.score === null ? '' : num(x.score)) },
    { id: 'role', label: t('tag.role'), width: 'minmax(5rem, 1fr)', min: 340, cell: (x) => x.roles.map((r) => <span class="badge role">{r}</span>) },
  ];
  return (
    <section class="fill" aria-label={t('tag.vocabulary')}>
      <div class="bar">
        <Search label={t('tag.find-token')} value={find} onInput={setFind} />
        <Select label={t('tag.type')} value={type} options={[['', t('tag.any')], ...last.types.map((x) => [x.type, `${tOr(`token.${x.type}`, x.type)} (${count(x.count)})`] as const)]} onChange={setType} />
        <Select label={t('tag.sort')} value={sort} options={[['id', t('tag.sort-id')], ['score', t('tag.sort-score')]]} onChange={setSort} />
        <span class="muted" role="status">{tokens.matched !== null && tokens.matched !== last.total ? t('tag.matched', { n: count(tokens.matched), total: count(last.total) }) : t('tag.tokens', { count: last.total })}</span>
      </div>
      {tokens.matched === null ? <Loading /> : (
        <Grid
          label={t('tag.vocabulary')}
          columns={columns}
          rows={tokens.matched}
          row={tokens.row}
          onSelect={(_, x) => select({ ...x.span })}
          rowClass={(x) => (at && at.file === x.span.file && at.start >= x.span.start && at.end <= x.span.end ? 'current' : '')}
          onHover={(_, x) => hover(x ? { ...x.span } : null)}
          empty={<Empty>{t('state.nothing')}</Empty>}
        />
      )}
    </section>
  );
}
