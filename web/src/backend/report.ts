import type { Backend, Name, Questions } from './questions';
import { Refused } from './http';
import { keyOf } from './key';

export const reportElement = 'ggufkit-answers';

/** The answers that a report carries. What it does not carry is refused, and the page says so. */
export class ReportBackend implements Backend {
  constructor(private readonly answers: Record<string, unknown>) {}

  static find(): ReportBackend | null {
    const text = document.getElementById(reportElement)?.textContent;
    if (!text) return null;
    const document_ = JSON.parse(text) as { answers?: Record<string, unknown> };
    return new ReportBackend(document_.answers ?? {});
  }

  ask<N extends Name>(name: N, query: Questions[N]['query']): Promise<Questions[N]['answer']> {
    const key = keyOf(name, query);
    const found = Object.hasOwn(this.answers, key) ? this.answers[key] : undefined;
    if (found === undefined) return Promise.reject(new Refused('unsupported', ''));
    return Promise.resolve(found as Questions[N]['answer']);
  }
}
