import { describe, expect, it } from 'vitest';
import type { CacheKind, Entry, TensorRow } from '../src/backend/questions';
import { keyOf } from '../src/backend/key';
import { floatsFromBase64, fromBase64 } from '../src/lib/base64';
import { cacheBytes, contexts, totalCache } from '../src/lib/cache';
import { fromAxis, makeAxis, regionIndex, segmentV, segmentX, stripSegments, toAxis } from '../src/lib/axis';
import { pieces, plain } from '../src/lib/escape';
import { count, hex, num, parsePosition, share, short, size, sized } from '../src/lib/format';
import { jinja } from '../src/lib/jinja';
import { lostPlace } from '../src/state/session';
import { modelName, outline, partOf, ranges, sharesEmbedding } from '../src/lib/model';
import { clampTop, contentHeight, isScaled, lastTop, reveal, scrollOf, tallest, topOf } from '../src/lib/scroll';
import { flatten } from '../src/lib/tree';
import { lang } from '../src/state/prefs';
import { formatRoute, parseRoute } from '../src/state/route';
import { ownNames } from '../src/lib/names';
import { clampWindow, linear, logarithmic, marks as rulerMarks, ticks, zoomWindow } from '../src/panes/map/window';

describe('base64', () => {
  it('gives bytes and floats', () => {
    expect([...fromBase64('R0dVRg==')]).toEqual([0x47, 0x47, 0x55, 0x46]);
    expect([...floatsFromBase64('AACAPwAAAMA=')]).toEqual([1, -2]);
  });
  it('takes what is not base64 for no bytes', () => {
    expect(fromBase64('%%%').length).toBe(0);
  });
});

describe('numbers', () => {
  it('has sizes of three digits with a unit', () => {
    expect([0, 29, 1023, 1024, 11491, 1048575, 396864, 4.2e9].map((n) => size(n))).toEqual([
      '0 B', '29 B', '1,023 B', '1.00 KiB', '11.2 KiB', '1.00 MiB', '388 KiB', '3.91 GiB',
    ]);
    expect(size('18446744073709551615')).toBe('16.0 EiB');
    expect(size(null)).toBe('–');
  });
  it('has whole numbers in groups, also those past 2^53', () => {
    expect(count(262144)).toBe('262,144');
    expect(count('18446744073709551615')).toBe('18,446,744,073,709,551,615');
    expect(short(7241732096)).toBe('7.24 B');
  });
  it('has positions in hex, and reads them', () => {
    expect(hex(0x1f4)).toBe('0x01f4');
    expect(parsePosition('0x1F4')).toBe(500);
    expect(parsePosition(' 1,000 ')).toBe(1000);
    expect(parsePosition('-1')).toBeNull();
    expect(parsePosition('1e3')).toBeNull();
    expect(parsePosition('99999999999999999999')).toBeNull();
  });
  it('says what is not finite', () => {
    expect(num('NaN')).toBe('NaN');
    expect(num('-Infinity')).toBe('−∞');
    expect(num(Infinity)).toBe('∞');
    expect(num(-0.25)).toBe('−0.25');
    expect(num(0.0000123)).toBe('1.23e-5');
    expect(share(1, 100000)).toBe('< 0.01 %');
  });
  it('follows the language', () => {
    lang.value = 'zh';
    expect(count(1234567)).toBe('1,234,567');
    lang.value = 'en';
  });
});

describe('escaping', () => {
  it('writes out what cannot be seen or turns the line around', () => {
    expect(plain('a\u202eb\u0000\u001b[31m\u200b\n')).toBe('a\\u{202e}b\\0\\u{1b}[31m\\u{200b}\\n');
    expect(plain('\ud800x')).toBe('\\u{d800}x');
    expect(plain('a\u{e0041}')).toBe('a\\u{e0041}');
  });
  it('leaves the rest as it is', () => {
    expect(plain('中文 🙂 <b>')).toBe('中文 🙂 <b>');
    expect(pieces('a\nb', true)).toEqual([{ text: 'a\nb', escaped: false }]);
  });
});

describe('scrolling', () => {
  const small = { rows: 100, rowHeight: 20, view: 400 };
  const large = { rows: 2 ** 34, rowHeight: 24, view: 480 };
  it('is plain where it can be', () => {
    expect(isScaled(small)).toBe(false);
    expect(contentHeight(small)).toBe(2000);
    expect(topOf(200, small)).toBe(10);
    expect(scrollOf(10, small)).toBe(200);
  });
  it('stands for rows in proportion where a browser would give up', () => {
    expect(isScaled(large)).toBe(true);
    expect(contentHeight(large)).toBe(tallest);
    expect(topOf(0, large)).toBe(0);
    expect(topOf(tallest - large.view, large)).toBeCloseTo(lastTop(large), 3);
    expect(topOf(scrollOf(123456789, large), large)).toBeCloseTo(123456789, -1);
  });
  it('never leaves the rows', () => {
    expect(clampTop(-5, small)).toBe(0);
    expect(clampTop(99, small)).toBe(80);
    expect(lastTop({ rows: 3, rowHeight: 20, view: 400 })).toBe(0);
  });
  it('reveals with the least movement', () => {
    expect(reveal(5, 0, small)).toBeNull();
    expect(reveal(30, 0, small)).toBe(11);
    expect(reveal(3, 10, small)).toBe(3);
  });
});

describe('key-value cache', () => {
  const full: CacheKind = { name: 'full attention', layers: 32, window: null, k_row: 1024, v_row: 1024, fixed: 0, terms: [] };
  it('is layers × tokens × rows × bytes', () => {
    expect(cacheBytes(full, 8192, 16, 16)).toBe(32 * 8192 * 2048 * 2);
    expect(cacheBytes(full, 8192, 8.5, 8.5)).toBe((32 * 8192 * 2048 * 8.5) / 8);
  });
  it('keeps a window and a state that does not grow', () => {
    expect(cacheBytes({ ...full, window: 512 }, 8192, 16, 16)).toBe(32 * 512 * 2048 * 2);
    expect(totalCache([{ ...full, layers: 0, k_row: 0, v_row: 0, fixed: 77 }, full], 1, 16, 16)).toBe(77 + 32 * 2048 * 2);
  });
  it('offers the trained context among powers of two', () => {
    expect(contexts(3000)).toContain(3000);
    expect(contexts(null).at(-1)).toBe(32768);
  });
});

const head = (file: number, length: number, data: number) => ({ file, model: 0, name: '', size: length, version: 3, endian: 'little' as const, head_end: data, data_start: data, alignment: 32, errors: [] });

describe('the axis', () => {
  const axis = makeAxis([head(4, 100, 10), head(7, 50, 50), head(9, 0, 0)]);
  it('lays files end to end', () => {
    expect(axis.total).toBe(150);
    expect(toAxis(axis, 7, 5)).toBe(105);
    expect(fromAxis(axis, 104.5)).toEqual({ file: 7, at: 4 });
    expect(fromAxis(axis, 0)).toEqual({ file: 4, at: 0 });
    expect(toAxis(axis, 99, 0)).toBeNull();
  });
  it('gives heads room on the strip, and goes back and forth', () => {
    const segments = stripSegments(makeAxis([head(0, 1e9, 1e6)]), 1000);
    expect(segments[0]?.x1).toBeCloseTo(300);
    expect(segments.at(-1)?.x1).toBeCloseTo(1000);
    for (const v of [0, 5, 999_999, 1e6, 5e8, 999_999_999]) expect(segmentV(segments, segmentX(segments, v))).toBeCloseTo(v, 0);
  });
  it('finds regions', () => {
    const regions = [0, 24, 60].map((start, i) => ({ kind: 'metadata' as const, start, end: [24, 60, 99][i] ?? 0, path: '' }));
    expect([0, 23, 24, 98, 99].map((at) => regionIndex(regions, at))).toEqual([0, 0, 1, 2, -1]);
  });
});

describe('the map', () => {
  it('goes back and forth on both scales', () => {
    for (const v of [0, 1, 4096, 4e11]) for (const s of [linear, logarithmic]) expect(s.from(s.to(v)) / Math.max(v, 1)).toBeCloseTo(v / Math.max(v, 1), 6);
  });
  it('zooms around a point and stays inside', () => {
    expect(zoomWindow([0, 100], 25, 0.5)).toEqual([12.5, 62.5]);
    expect(clampWindow([-20, 30], 100, 1)).toEqual([0, 50]);
    expect(clampWindow([0, 500], 100, 1)).toEqual([0, 100]);
  });
  it('marks the ruler with few, even positions', () => {
    for (const s of [linear, logarithmic]) {
      const marks = ticks(s, s === linear, [0, s.to(4e9)], 1000, 84);
      expect(marks.length).toBeGreaterThan(2);
      expect(marks.length).toBeLessThan(14);
    }
  });
  it('counts from the begin of each file of a set', () => {
    const axis = { parts: [{ file: 4, base: 0, size: 3000, dataStart: 100 }, { file: 5, base: 3000, size: 5000, dataStart: 100 }], total: 8000 };
    for (const s of [linear, logarithmic]) {
      const all = rulerMarks(axis, s, [0, s.to(8000)], 1200, 84);
      const second = all.filter((m) => m.file === 5);
      expect(second[0]).toMatchObject({ v: 3000, at: 0 });
      expect(second.length).toBeGreaterThan(1);
      for (const m of all) {
        expect(m.v - (m.file === 5 ? 3000 : 0)).toBe(m.at);
        // A power of two and its multiples, counted from that file.
        expect(m.at === 0 || Number.isInteger(m.at / 2 ** Math.floor(Math.log2(Math.max(1, m.at)) - 3))).toBe(true);
      }
    }
  });
  it('names the files of a set by what tells them apart', () => {
    expect(ownNames(['Llama-3-00001-of-00003.gguf', 'Llama-3-00002-of-00003.gguf'])).toEqual(['…00001…', '…00002…']);
    expect(ownNames(['a.gguf', 'b.gguf'])).toEqual(['a.gguf', 'b.gguf']);
    expect(ownNames(['only-one-name.gguf'])).toEqual(['only-one-name.gguf']);
  });
});

describe('addresses', () => {
  it('name a byte, a key, a tensor', () => {
    expect(parseRoute('#/bytes?file=1&at=0x1f4')).toMatchObject({ pane: 'bytes', place: { file: 1, start: 500, end: 501 } });
    expect(parseRoute('#/tag?key=general.name')).toMatchObject({ pane: 'tag', wanted: { key: 'general.name' } });
    expect(parseRoute('#/tensors?tensor=a%26b&show=stats')).toMatchObject({ wanted: { tensor: 'a&b' }, view: { show: 'stats' } });
  });
  it('are taken for the map where they are not understood', () => {
    for (const hash of ['', '#', '#/nowhere', '#/%E0%A4%A', '#/bytes?at=-1', '#/bytes?at=zzz']) expect(parseRoute(hash).place).toBeNull();
    expect(parseRoute('#/nowhere').pane).toBe('map');
  });
  it('come back as they were', () => {
    const route = { pane: 'bytes' as const, place: { file: 0, start: 24, end: 69 }, view: { show: 'x y' } };
    expect(parseRoute(formatRoute(route))).toMatchObject(route);
  });
});

describe('questions', () => {
  it('have one text each, sorted, without what is left out', () => {
    expect(keyOf('session', {})).toBe('session');
    expect(keyOf('tokens', { model: 0, from: 256, find: undefined, count: 256 })).toBe('tokens?count=256&from=256&model=0');
    expect(keyOf('explain', { what: 'a b&c', lang: 'zh' })).toBe('explain?lang=zh&what=a%20b%26c');
  });
});

describe('keys as a tree', () => {
  const entry = (key: string, index: number) => ({ file: 0, index, key }) as Entry;
  it('groups by two namespaces, in order', () => {
    const rows = flatten([entry('general.name', 0), entry('llama.attention.head_count', 1), entry('general.type', 2), entry('plain', 3)], new Set());
    expect(rows.map((r) => `${'  '.repeat(r.level)}${r.label}`)).toEqual(['plain', 'general', '  name', '  type', 'llama', '  attention', '    head_count']);
  });
  it('leaves out what is folded', () => {
    expect(flatten([entry('general.name', 0), entry('general.type', 1)], new Set(['general.'])).map((r) => r.label)).toEqual(['general']);
  });
  it('is not confused by names of objects', () => {
    expect(flatten([entry('__proto__.constructor', 0)], new Set()).map((r) => r.label)).toEqual(['__proto__', 'constructor']);
  });
});

describe('names of models', () => {
  it('are told apart by their numbers where they are the same', () => {
    const models = ['m.gguf', 'n.gguf', 'm.gguf'].map((name, model) => ({ model, name }));
    expect(models.map((m) => modelName(m, models))).toEqual(['m.gguf (1)', 'n.gguf', 'm.gguf (3)']);
  });
});

describe('an address', () => {
  it('is told where it names what is not there', () => {
    const files = [{ file: 0, size: 100 }, { file: 1, size: 0 }];
    const of = (file: number, start: number) => lostPlace({ file, start, end: start + 1 }, files);
    expect([of(0, 0), of(0, 99), of(1, 0)]).toEqual([null, null, null]);
    expect([of(0, 100), of(1, 1)]).toEqual([{ what: 'place', file: 0, at: 100 }, { what: 'place', file: 1, at: 1 }]);
    expect(of(9, 0)).toEqual({ what: 'file' });
  });
});

describe('sizes', () => {
  it('are facts where the type gives them', () => {
    expect([sized(512, 'exact'), sized(512, 'inferred'), sized(null, 'unknown')]).toEqual(['512 B', '≤ 512 B', '–']);
  });
});

describe('the outline of a model', () => {
  const tensor = (name: string, shape: number[] = [8]) => ({ name, shape, type: 'F32' }) as TensorRow;
  it('puts layers that are alike together', () => {
    const o = outline([tensor('token_embd.weight'), ...[0, 1, 2].map((i) => tensor(`blk.${i}.attn_q.weight`, i === 2 ? [9] : [8])), tensor('output.weight'), tensor('output_norm.weight'), tensor('strange')]);
    expect(o.groups.map((g) => g.layers)).toEqual([[0, 1], [2]]);
    expect(o.after.map((x) => x.name)).toEqual(['output_norm.weight', 'output.weight']);
    expect(o.other.map((x) => x.name)).toEqual(['strange']);
  });
  it('shares the embedding where a decoder has no output of its own', () => {
    const of = (names: string[], causal?: string) => sharesEmbedding(outline(names.map((n) => tensor(n))), causal === undefined ? [] : [{ name: 'causal', value: causal }]);
    const decoder = ['token_embd.weight', 'blk.0.attn_q.weight', 'output_norm.weight'];
    expect([of(decoder), of(decoder, 'true'), of(decoder, 'false'), of([...decoder, 'output.weight'])]).toEqual([true, true, false, false]);
    // An encoder ends in its last layer; a head that was cut has no norm either.
    expect(of(['token_embd.weight', 'token_embd_norm.weight', 'blk.0.layer_output_norm.weight'])).toBe(false);
  });
  it('knows parts by their names', () => {
    expect(['attn_q', 'ffn_up', 'ffn_gate_exps', 'ffn_gate_inp', 'ssm_in', 'whatever'].map(partOf)).toEqual(['attention', 'ffn', 'experts', 'experts', 'ssm', 'other']);
    expect(ranges([0, 1, 2, 5, 7, 8])).toBe('0–2, 5, 7–8');
  });
});

describe('templates', () => {
  it('lose nothing when they are taken to pieces', () => {
    for (const source of ["a {{ b|trim }} {# c #}{%- for x in y -%}z{% endfor", '{{ <script>alert(1)</script> }}', '{% if a == "}}" %}', '']) {
      expect(jinja(source).map((x) => x.text).join('')).toBe(source);
    }
  });
});
