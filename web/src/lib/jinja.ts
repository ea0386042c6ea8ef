import './prism-manual';
import Prism from 'prismjs';
import 'prismjs/components/prism-markup-templating.js';
import 'prismjs/components/prism-django.js';

/** A template in pieces with a kind, for drawing as text nodes. */
export interface Token {
  text: string;
  kind: string;
}

const tags = /\{\{[\s\S]*?(?:\}\}|$)|\{%[\s\S]*?(?:%\}|$)|\{#[\s\S]*?(?:#\}|$)/g;

/** Text between tags is what is put out as it is; the tags are taken to pieces by Prism's grammar of Django and Jinja. */
export function jinja(source: string): Token[] {
  const out: Token[] = [];
  let last = 0;
  const grammar = Prism.languages.django;
  for (const hit of source.matchAll(tags)) {
    if (hit.index > last) out.push({ text: source.slice(last, hit.index), kind: 'plain' });
    if (hit[0].startsWith('{#')) out.push({ text: hit[0], kind: 'comment' });
    else if (grammar) walk(Prism.tokenize(hit[0], grammar), 'code', out);
    else out.push({ text: hit[0], kind: 'code' });
    last = hit.index + hit[0].length;
  }
  if (last < source.length) out.push({ text: source.slice(last), kind: 'plain' });
  return out;
}

function walk(tokens: (string | Prism.Token)[], kind: string, out: Token[]): void {
  for (const token of tokens) {
    if (typeof token === 'string') out.push({ text: token, kind });
    else if (typeof token.content === 'string') out.push({ text: token.content, kind: token.type });
    else walk(Array.isArray(token.content) ? token.content : [token.content], token.type, out);
  }
}
