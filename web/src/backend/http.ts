import type { Backend, Name, Questions, Refusal } from './questions';
import { keyOf } from './key';

/** The answer that is none, as an error of the page. */
export class Refused extends Error {
  constructor(
    readonly kind: Refusal['error']['kind'] | 'token' | 'gone',
    message: string,
    /** The same in Chinese, where it is ours. */
    readonly zh = message,
  ) {
    super(message);
  }
}

const stored = 'gguf-view-token';

/**
 * The token that lets this page ask: it comes in the fragment, which no request carries, and leaves the address at once. The tab
 * keeps it, so that a reload works.
 */
export function takeToken(): string | null {
  const parts = location.hash.replace(/^#/, '').split('&');
  const found = parts.find((p) => p.startsWith('token='));
  if (found) {
    const token = decodeURIComponent(found.slice('token='.length));
    const rest = parts.filter((p) => p !== found && p !== '').join('&');
    history.replaceState(null, '', location.pathname + location.search + (rest ? `#${rest}` : ''));
    try {
      sessionStorage.setItem(stored, token);
    } catch {
      // Storage may be refused: the token then lives as long as the page.
    }
    return token;
  }
  try {
    return sessionStorage.getItem(stored);
  } catch {
    return null;
  }
}

/** A local server answers. */
export class HttpBackend implements Backend {
  constructor(private readonly token: string | null) {}

  async ask<N extends Name>(name: N, query: Questions[N]['query'], signal?: AbortSignal): Promise<Questions[N]['answer']> {
    let response: Response;
    try {
      response = await fetch(`api/${keyOf(name, query)}`, {
        headers: this.token ? { authorization: `Bearer ${this.token}` } : {},
        credentials: 'omit',
        cache: 'no-store',
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Refused('gone', '');
    }
    if (response.ok) return (await response.json()) as Questions[N]['answer'];
    if (response.status === 401) throw new Refused('token', '');
    const body = (await response.json().catch(() => null)) as Refusal | null;
    throw new Refused(body?.error.kind ?? 'io', body?.error.message ?? `HTTP ${response.status}`, body?.error.message_zh);
  }
}
