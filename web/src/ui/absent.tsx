import type { ComponentChildren } from 'preact';
import type { ModelHead } from '../backend/questions';
import { t } from '../i18n';
import { count } from '../lib/format';
import { unread } from '../lib/reach';
import { model } from '../state/session';
import { Empty } from './states';

/** What may stand where nobody read: the names of texts under `unread`. */
export type What = 'keys' | 'more-keys' | 'architecture' | 'template' | 'vocabulary' | 'special' | 'cache' | 'tensors' | 'more-tensors';

/** Records that something stands in, or follows from. */
const recordsOf = (what: What) => (what === 'tensors' || what === 'more-tensors' ? 'tensors' : 'keys');

/** Why something is not called absent, as a sentence; `null` where all of the model was read that could hold it. */
export function unreadText(what: What, of: ModelHead | null = model.value): string | null {
  const records = recordsOf(what);
  const why = of && unread(records, of.read[records]);
  if (!why) return null;
  const values = { what: t(`unread.${what}`) };
  if (why.name === 'reach.up-to') return t(why.name, { ...values, offset: count(why.offset) });
  if (why.name === 'reach.shards') return t(why.name, { ...values, count: why.count });
  return t(why.name, values);
}

/** What a pane says where it has nothing to show: that there is none only where all was read. */
export function Absent({ what, children }: { what: What; children: ComponentChildren }) {
  return <Empty>{unreadText(what) ?? children}</Empty>;
}

/** Under what a pane does show: that there may be more of it. */
export function Partial({ what, of }: { what: What; of?: ModelHead | null }) {
  const text = unreadText(what, of);
  return text === null ? null : <p class="hint unread">{text}</p>;
}

/** A count of records as a text, with how many there should be where fewer were read. */
export function counted(records: 'keys' | 'tensors', text: string): string {
  const told = model.value?.read[records];
  if (!told || told.state === 'whole') return text;
  return told.state === 'up-to' ? t('reach.read-of', { text, total: count(told.declared) }) : t('reach.read', { text });
}
