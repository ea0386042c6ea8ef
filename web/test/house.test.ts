/// <reference types="node" />
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { en } from '../src/i18n/en';
import { zh } from '../src/i18n/zh';

const root = join(import.meta.dirname, '..');

function walk(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
}

function texts(tree: object, at = ''): Map<string, string> {
  const out = new Map<string, string>();
  for (const [k, v] of Object.entries(tree)) {
    if (typeof v === 'string') out.set(at + k, v);
    else for (const [path, text] of texts(v as object, `${at}${k}.`)) out.set(path, text);
  }
  return out;
}

describe('texts', () => {
  const [a, b] = [texts(en), texts(zh)];
  it('have the same names in both languages', () => {
    expect([...b.keys()].sort()).toEqual([...a.keys()].sort());
  });
  it('have the same numbers to put in', () => {
    const holes = (text: string | undefined) => [...(text ?? '').matchAll(/\{\{(\w+)/g)].map((m) => m[1]).sort();
    for (const [name, text] of a) expect([name, ...holes(b.get(name))]).toEqual([name, ...holes(text)]);
  });
  it('are none of them empty, and Chinese ones are Chinese', () => {
    for (const [name, text] of [...a, ...b]) expect([name, text.trim() !== '']).toEqual([name, true]);
    const same = [...b].filter(([name, text]) => text === a.get(name) && /[a-z]{4,}/.test(text)).map(([name]) => name);
    expect(same).toEqual([]);
  });
});

const files = walk(join(root, 'src')).filter((f) => /\.tsx?$/.test(f));

/** Words of answers that the page says itself, as the crates list them: by what the names of their texts begin with. */
describe('words of answers', () => {
  const sent = JSON.parse(readFileSync(join(root, 'test', 'words.json'), 'utf8')) as Record<string, string[]>;
  const [a, b] = [texts(en), texts(zh)];
  it('have a text in both languages', () => {
    const missing = Object.entries(sent).flatMap(([at, words]) => words.map((word) => at + word).filter((name) => !a.has(name) || !b.has(name)));
    expect(missing).toEqual([]);
  });
  it('are all there are where nothing else has such a name', () => {
    for (const at of ['kind.', 'field.', 'family.', 'group.', 'token.', 'safety.', 'differs.', 'refused.']) {
      expect([...a.keys()].filter((name) => name.startsWith(at)).sort()).toEqual((sent[at] ?? []).map((word) => at + word).sort());
    }
  });
  it('are those that the page looks up', () => {
    const looked = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/tOr\(\s*(`([^$`]*)\$|[^)]*)/g)].filter((m) => !/^name: string/.test(m[1] ?? '')).map((m) => m[2] ?? `${file}: ${m[1]}`));
    expect([...new Set(looked)].filter((at) => !(at in sent))).toEqual([]);
  });
});

describe('sources', () => {
  it('never make elements out of text', () => {
    for (const file of files) {
      expect([file, /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment|DOMParser|\beval\(|new Function|srcdoc/.test(readFileSync(file, 'utf8'))]).toEqual([file, false]);
    }
  });
  it('ask nobody but their own server', () => {
    for (const file of files) expect([file, /https?:\/\/|\/\/cdn|XMLHttpRequest|WebSocket|sendBeacon/.test(readFileSync(file, 'utf8').replaceAll('http://www.w3.org', ''))]).toEqual([file, false]);
  });
  it('are of a size that can be read', () => {
    for (const file of files.filter((f) => !/i18n|questions/.test(f))) expect([file, readFileSync(file, 'utf8').split('\n').length <= 420]).toEqual([file, true]);
  });
  it('name no registry but the usual one', () => {
    const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
    for (const m of lock.matchAll(/"resolved": "(https?:\/\/[^/]+)/g)) expect(m[1]).toBe('https://registry.npmjs.org');
  });
});
