import type { ComponentChildren } from 'preact';
import { plain } from '../lib/escape';

/** The little of Markdown that manuals use, as elements and text nodes: headings, paragraphs, lists, code, tables as they are typed. */
export function Markdown({ text }: { text: string }) {
  const out: ComponentChildren[] = [];
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; ) {
    const line = lines[i] ?? '';
    const take = (test: (l: string) => boolean) => {
      const from = i;
      while (i < lines.length && test(lines[i] ?? '')) i++;
      return lines.slice(from, i);
    };
    if (line.startsWith('```')) {
      i++;
      const code = take((l) => !l.startsWith('```'));
      i++;
      out.push(<pre class="md-code" tabIndex={0}>{code.map(clean).join('\n')}</pre>);
    } else if (line.startsWith('|')) {
      out.push(<Table rows={take((l) => l.startsWith('|'))} />);
    } else if (/^ {4}\S/.test(line)) {
      const code = take((l) => /^ {4}/.test(l));
      out.push(<pre class="md-code" tabIndex={0}>{code.map(clean).join('\n')}</pre>);
    } else if (line.startsWith('#')) {
      i++;
      out.push(<h4>{spans(line.replace(/^#+\s*/, ''))}</h4>);
    } else if (/^[-*] /.test(line)) {
      const items: string[] = [];
      for (const l of take((x) => /^[-*] |^ {2,}\S/.test(x))) {
        if (/^[-*] /.test(l)) items.push(l.slice(2));
        else items[items.length - 1] += ` ${l.trim()}`;
      }
      out.push(<ul class="md-list">{items.map((x) => <li>{spans(x)}</li>)}</ul>);
    } else if (line.trim() === '') {
      i++;
    } else {
      const words = take((l) => l.trim() !== '' && !/^(```|#|[-*] |\|)/.test(l));
      out.push(<p>{spans(words.join(' '))}</p>);
    }
  }
  return <div class="markdown">{out}</div>;
}

function Table({ rows }: { rows: string[] }) {
  const cells = rows.filter((r) => !/^\|[\s|:-]+\|$/.test(r) || /^\|[\s|]+\|$/.test(r)).map((r) => r.replace(/^\||\|$/g, '').split('|').map((c) => c.trim()));
  const [head, ...body] = cells;
  const named = head?.some((c) => c !== '') ?? false;
  return (
    <div class="md-scroll" tabIndex={0}>
      <table class="md-table">
        {named && <thead><tr>{head?.map((c) => <th scope="col">{spans(c)}</th>)}</tr></thead>}
        <tbody>{body.map((r) => <tr>{r.map((c) => <td>{spans(c)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  );
}

/** Tabs and line ends stay; what would not be seen is written out. */
function clean(line: string): string {
  return plain(line.replaceAll('\t', '    '));
}

function spans(text: string): ComponentChildren[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`') && part.length > 2) return <code>{plain(part.slice(1, -1))}</code>;
    if (part.startsWith('**') && part.length > 4) return <b>{plain(part.slice(2, -2))}</b>;
    return plain(part);
  });
}
