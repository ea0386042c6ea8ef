/**
 * Characters that would not be seen, or would move others: controls, bidi marks, zero-width and line separators, surrogates
 * without a partner. A file's text is shown with them written out.
 */
const hidden =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

const names: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\0': '\\0' };

export interface Piece {
  text: string;
  escaped: boolean;
}

/** The text in pieces: as it is, and written out. `lines` keeps line feeds and tabs, for texts shown in lines. */
export function pieces(text: string, lines = false): Piece[] {
  const out: Piece[] = [];
  let last = 0;
  for (const hit of text.matchAll(hidden)) {
    const c = hit[0];
    if (lines && (c === '\n' || c === '\t')) continue;
    if (hit.index > last) out.push({ text: text.slice(last, hit.index), escaped: false });
    out.push({ text: names[c] ?? `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`, escaped: true });
    last = hit.index + c.length;
  }
  if (last < text.length) out.push({ text: text.slice(last), escaped: false });
  return out;
}

/** The same as one string, for titles, labels and canvases. */
export function plain(text: string): string {
  return pieces(text).map((p) => p.text).join('');
}
