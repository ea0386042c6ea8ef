import type { Told } from '../backend/questions';

/** Why something that was not found is not said to be absent: it may stand where nobody read. */
export type Unread =
  | { name: 'reach.up-to'; offset: number | string }
  | { name: 'reach.not-read' }
  | { name: 'reach.first-shard' }
  | { name: 'reach.elsewhere' }
  | { name: 'reach.shards'; count: number };

/** What is to be said in place of "there is none"; `null` where all was read, so that what was not found is absent. */
export function unread(of: 'keys' | 'tensors', told: Told): Unread | null {
  switch (told.state) {
    case 'whole':
      return null;
    case 'up-to':
      return { name: 'reach.up-to', offset: told.offset };
    case 'elsewhere':
      // The keys of a split model are those of its first shard.
      if (of === 'keys') return { name: 'reach.first-shard' };
      return told.missing === null ? { name: 'reach.elsewhere' } : { name: 'reach.shards', count: Number(told.missing) };
    // What is not known here is no reason to call something absent.
    default:
      return { name: 'reach.not-read' };
  }
}

/** Whether not even the header of a model was read, so that there is nothing to be asked about it. */
export function isHeadless(told: Told): boolean {
  return told.state === 'not-read' && Number(told.read) === 0 && Number(told.declared) === 0;
}
