import { beforeEach, describe, expect, it } from 'vitest';
import type { ModelHead, Told } from '../src/backend/questions';
import { isHeadless, unread } from '../src/lib/reach';
import { lang } from '../src/state/prefs';
import { session } from '../src/state/session';
import { counted, summed, unreadText, type What } from '../src/ui/absent';

const whole: Told = { state: 'whole', read: 39, declared: 39 };
const cut: Told = { state: 'up-to', file: 0, offset: 4856, read: 29, declared: 39 };
const headless: Told = { state: 'not-read', file: 0, read: 0, declared: 0 };
const elsewhere: Told = { state: 'elsewhere', missing: 2, read: 3, declared: 3 };

function open(keys: Told, tensors: Told): ModelHead {
  const model: ModelHead = { model: 0, name: 'm', files: [0], files_declared: 1, read: { keys, tensors }, problems: [] };
  session.value = { schema: 1, version: '', lang: null, files: [], models: [model], can: { values: true, bytes: true, render: true }, capped: [] };
  return model;
}

const unknown: Told = { state: 'elsewhere', missing: null, read: 0, declared: 0 };

const keys: What[] = ['keys', 'more-keys', 'architecture', 'template', 'vocabulary', 'special', 'cache'];
const tensors: What[] = ['tensors', 'more-tensors'];

describe('what was not read', () => {
  beforeEach(() => {
    lang.value = 'en';
  });

  it('is called absent where all was read, and only there', () => {
    open(whole, whole);
    for (const what of [...keys, ...tensors]) expect(unreadText(what)).toBeNull();
    for (const language of ['en', 'zh'] as const) {
      lang.value = language;
      for (const told of [cut, headless, elsewhere]) {
        open(told, whole);
        for (const what of keys) expect([what, (unreadText(what) ?? '').length > 10]).toEqual([what, true]);
        for (const what of tensors) expect(unreadText(what)).toBeNull();
        open(whole, told);
        for (const what of keys) expect(unreadText(what)).toBeNull();
        for (const what of tensors) expect([what, (unreadText(what) ?? '').length > 10]).toEqual([what, true]);
      }
    }
  });

  it('is told with where the reading ended, or where else it stands', () => {
    open(cut, cut);
    expect(unreadText('template')).toBe('Not reached: the head can be read up to offset 0x12f8 only, and chat templates may stand behind it.');
    open(elsewhere, elsewhere);
    expect(unreadText('vocabulary')).toBe('Not here: the keys of a vocabulary would stand in the first shard of this model, which is not open.');
    expect(unreadText('tensors')).toBe('Not here: 2 shards of this model are not open, where tensors may stand.');
    open({ ...elsewhere, missing: 1 }, { ...elsewhere, missing: 1 });
    expect(unreadText('tensors')).toBe('Not here: 1 shard of this model is not open, where tensors may stand.');
    lang.value = 'zh';
    open(headless, headless);
    expect(unreadText('tensors')).toBe('未读取：有一个文件的文件头无法读取，不知道是否有张量。');
  });

  it('names no number that is not known, and the file where there are several', () => {
    open(unknown, unknown);
    expect(unreadText('tensors')).toBe('Not here: shards of this model are not open, where tensors may stand.');
    open(cut, cut);
    const file = (n: number) => ({ file: n, model: 0, name: `m-${n}.gguf`, size: 9, version: 3, endian: null, head_end: null, data_start: null, alignment: null, errors: [] });
    if (session.value) session.value = { ...session.value, files: [file(0), file(1)] };
    expect(unreadText('tensors')?.startsWith('m-0.gguf: Not reached')).toBe(true);
  });

  it('makes sums that say what they are of', () => {
    open(whole, whole);
    expect(summed('tensors', '2 KiB')).toBe('2 KiB');
    open(cut, cut);
    expect(summed('tensors', '2 KiB')).toBe('2 KiB of what was read');
    open(headless, headless);
    expect(summed('tensors', '0 B')).toBe('not read');
  });

  it('is counted with what the header declares', () => {
    open(cut, { ...elsewhere, read: 13 });
    expect(counted('keys', '29 keys')).toBe('29 keys read, of 39 that the header declares');
    expect(counted('tensors', '13 tensors')).toBe('13 tensors read');
    open(whole, whole);
    expect(counted('keys', '39 keys')).toBe('39 keys');
  });

  it('is not known where the answer has a word that is not known here', () => {
    expect(unread('keys', { ...whole, state: 'other' } as unknown as Told)).toEqual({ name: 'reach.not-read' });
    expect([whole, cut, headless, elsewhere].map(isHeadless)).toEqual([false, false, true, false]);
  });
});
