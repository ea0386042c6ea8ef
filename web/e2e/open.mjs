// A server of the real binary, a browser, and a page that is watched: what it logs, what the policy refuses, what it asks of others.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { makeAll } from './make.mjs';

const here = import.meta.dirname;
export const gguf = process.env.GGUF ?? path.join(here, '../../target/debug/gguf');
/** The page that is tried: as the binary has it, or the one in this folder. */
const pageFolder = process.env.PAGE;
/** A slow machine is given so many times the time. */
export const slack = Number(process.env.SLACK ?? 1);
export const sample = path.join(here, '../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf');

const madeFolder = path.join(here, 'made');
export function made() {
  // Some of them are newer than others, and the last one is written last.
  if (!['no-tokens', 'hugesparse'].every((name) => fs.existsSync(path.join(madeFolder, `${name}.gguf`)))) makeAll(madeFolder);
  return (name) => path.join(madeFolder, `${name}.gguf`);
}

/** A text of the page, by its name, in both languages. */
export function said(name) {
  const [section, own] = name.split('.');
  return ['en', 'zh'].map((lang) => {
    const all = fs.readFileSync(path.join(here, `../src/i18n/${lang}.ts`), 'utf8');
    const part = all.slice(all.indexOf(`\n  ${section}: {`)).split('\n  },')[0];
    return new RegExp(`\n    '?${own}'?: '([^']+)'`).exec(part)[1];
  });
}

export function serve(...files) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(gguf, ['view', '--no-open', ...files], { stdio: ['pipe', 'pipe', 'pipe'] });
    let text = '';
    const timer = setTimeout(() => reject(new Error(`no address: ${text}`)), 30_000 * slack);
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        text += data;
        const found = /http:\/\/127\.0\.0\.1:\d+\/#token=[^\s]+/.exec(text);
        if (found) {
          clearTimeout(timer);
          resolve({ url: found[0], started, ready: performance.now() - started, stop: () => child.kill() });
        }
      });
    }
    child.on('error', reject);
  });
}

let browser;
export async function launch() {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--enable-precise-memory-info'] });
  return browser;
}

export async function close() {
  await browser?.close();
  browser = undefined;
}

/** Opens an address; `route` is a part of the fragment behind the token. */
export async function open(url, { route = '', width = 1280, height = 800, theme = 'light', lang = 'en', motion = 'no-preference' } = {}) {
  const context = await (await launch()).newContext({ viewport: { width, height }, colorScheme: theme, locale: lang === 'zh' ? 'zh-CN' : 'en-US', reducedMotion: motion });
  const page = await context.newPage();
  const trouble = [];
  const own = new URL(url).origin;
  page.on('console', (m) => {
    // A refusal of the server is an answer; the page shows it.
    if (['error', 'warning'].includes(m.type()) && !/Failed to load resource/.test(m.text())) trouble.push(`${m.type()}: ${m.text()}`);
  });
  page.on('pageerror', (e) => trouble.push(`error: ${e.stack ?? e.message}`));
  page.on('dialog', (d) => {
    trouble.push(`dialog: ${d.message()}`);
    void d.dismiss();
  });
  page.on('request', (r) => {
    const to = new URL(r.url());
    if (to.protocol !== 'data:' && to.protocol !== 'file:' && to.origin !== own) trouble.push(`asked ${r.url()}`);
  });
  await page.addInitScript(() => {
    window.__refused = [];
    document.addEventListener('securitypolicyviolation', (e) => window.__refused.push(`${e.violatedDirective} ${e.blockedURI} ${e.sample}`));
    window.__long = [];
    try {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.__long.push(entry.duration);
      }).observe({ entryTypes: ['longtask'] });
    } catch {
      // Not every browser tells.
    }
  });
  if (pageFolder) {
    await page.route(/\/(assets\/app\.(js|css))?(#.*)?$/, async (to) => {
      const name = path.basename(new URL(to.request().url()).pathname) || 'index.html';
      const answer = await to.fetch();
      await to.fulfill({ response: answer, body: fs.readFileSync(path.join(pageFolder, name)) });
    });
  }
  await page.goto(url.includes('#') && route ? `${url}&${route}` : url + (route ? `#${route}` : ''));
  await page.waitForSelector('.strip-canvas, .blank.failed', { timeout: 20_000 * slack });
  return {
    page,
    /** Goes to a route within the page. */
    async go(to) {
      await page.evaluate((hash) => (location.hash = hash), to);
      await page.waitForTimeout(120);
      await settle(page);
    },
    /** What went wrong so far. */
    async trouble() {
      const refused = await page.evaluate(() => window.__refused).catch(() => []);
      return [...trouble, ...refused.map((r) => `policy: ${r}`)];
    },
    close: () => context.close(),
  };
}

/** Waits until nothing is being read any more. */
export async function settle(page) {
  await page.waitForFunction(() => document.querySelector('.loading, .wait') === null, null, { timeout: 20_000 * slack });
  await page.waitForTimeout(60);
}

export const routes = [
  '/map', '/map?scale=linear&colour=type', '/map?colour=layer', '/tag', '/tag?show=vocabulary', '/tag?show=template', '/bytes', '/walk', '/load',
  '/load?show=memory', '/load?show=diagram', '/tensors', '/tensors?show=treemap', '/tensors?show=stats', '/tensors?show=values', '/tensors?show=block', '/check', '/compare',
];
