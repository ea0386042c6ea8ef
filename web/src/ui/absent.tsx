import type { ComponentChildren } from 'preact';
import type { ModelHead, Told } from '../backend/questions';
import { t } from '../i18n';
import { plain } from '../lib/escape';
import { count, hex } from '../lib/format';
import { unread } from '../lib/reach';
import { fileHead, model, session } from '../state/session';
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
  if (why.name === 'reach.shards') return t(why.name, { ...values, count: why.count });
  const text = why.name === 'reach.up-to' ? t(why.name, { ...values, offset: hex(Number(why.offset)) }) : t(why.name, values);
  return named(of.read[records]) + text;
}

/** The file that something is said of, in front of it, where more than one is open. */
export function fileName(file: number): string {
  const head = (session.value?.files.length ?? 0) > 1 ? fileHead(file) : null;
  return head ? plain(head.name) + t('app.colon') : '';
}

function named(told: Told): string {
  return told.state === 'up-to' || told.state === 'not-read' ? fileName(told.file) : '';
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

/** A sum over records: of those that were read, where there are more; none where none was read. */
export function summed(records: 'keys' | 'tensors', text: string): string {
  const told = model.value?.read[records];
  if (!told || told.state === 'whole') return text;
  return Number(told.read) === 0 ? t('reach.none') : t('reach.of-read', { text });
}

/** A count of records as a text, with how many there should be where fewer were read. */
export function counted(records: 'keys' | 'tensors', text: string): string {
  const told = model.value?.read[records];
  if (!told || told.state === 'whole') return text;
  return told.state === 'up-to' ? t('reach.read-of', { text, total: count(told.declared) }) : t('reach.read', { text });
}
