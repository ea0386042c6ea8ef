// A report: one file, opened from the disk, that asks nobody.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, describe, it } from 'node:test';
import { close, gguf, made, open, routes, sample } from './open.mjs';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'report-'));
after(async () => {
  fs.rmSync(folder, { recursive: true });
  await close();
});

/** What the page says where a report has no answer, in both languages. */
const absent = ['en', 'zh'].map((lang) => {
  const text = fs.readFileSync(path.join(import.meta.dirname, `../src/i18n/${lang}.ts`), 'utf8');
  return /unsupported: '([^']{10,})'/.exec(text)[1];
});

/** What a report holds no weights for. */
const ofWeights = ['/tensors?show=stats', '/tensors?show=values', '/tensors?show=block'];

/** Of the sample each pane has so many of these at least. */
const seen = {
  '/map': ['[role=row]', 5],
  '/tag': ['[role=row], [role=treeitem]', 5],
  '/tag?show=vocabulary': ['.token', 5],
  '/tag?show=template': ['pre.code span', 5],
  '/bytes': ['.hex-bytes [data-at]', 64],
  '/walk': ['[role=row], li', 5],
  '/load': ['.setting-name', 5],
  '/load?show=memory': ['li, tr, [role=row]', 5],
  '/load?show=diagram': ['svg text', 5],
  '/tensors': ['[role=row]', 5],
  '/check': ['.verdict', 1],
};

/** The pane without what every pane has: its introduction, and what the report left out. */
const told = (page) => page.evaluate(() => {
  const main = document.querySelector('main').cloneNode(true);
  for (const part of main.querySelectorAll('.intro, .notices, .visually-hidden')) part.remove();
  return main.textContent.trim();
});

for (const [name, ...files] of [['sample', sample], ['hostile', made()('hostile')], ['pair', sample, made()('hostile')]]) {
  describe(`a report of the ${name}`, () => {
    it('answers from itself in every pane', async () => {
      const out = path.join(folder, `${name}.html`);
      execFileSync(gguf, ['report', '--output', out, ...files], { stdio: 'ignore' });
      const opened = await open(pathToFileURL(out).href);
      for (const lang of ['EN', '中文']) {
        await opened.page.getByRole('button', { name: lang, exact: true }).click();
        for (const route of routes) {
          await opened.go(route);
          const text = await told(opened.page);
          assert.ok(text.length > 10, `${name} ${lang} ${route}: ${text}`);
          const isAbsent = absent.some((words) => text.includes(words));
          assert.equal(isAbsent, ofWeights.includes(route), `${name} ${lang} ${route}: ${text.slice(0, 200)}`);
          const [what, least] = (name !== 'hostile' && seen[route]) || ['main', 1];
          const found = await opened.page.locator('main').locator(what).count();
          assert.ok(what === 'main' || found >= least, `${name} ${lang} ${route}: ${found} of ${what}`);
          assert.equal(await opened.page.evaluate(() => window.__ran), undefined, route);
        }
      }
      await opened.page.getByRole('button', { name: 'EN', exact: true }).click();
      await opened.go('/tag');
      assert.match(await opened.page.locator('.pane-tag').innerText(), /architecture/);
      await opened.go('/bytes?file=0&at=0x0');
      assert.match(await opened.page.locator('.hex-grid').innerText(), /magic/);
      if (name === 'pair') {
        await opened.go('/compare');
        assert.ok(await opened.page.locator('.pane-compare [role=row]').count() > 5);
      }
      if (name !== 'hostile') {
        // Bytes that it has not are not shown as if they were some.
        await opened.go('/bytes?file=0&at=0x40000');
        assert.ok((await told(opened.page)).includes(absent[0]));
        assert.ok(await opened.page.locator('.hex-bytes .absent').count() > 0);
        assert.equal(await opened.page.locator('.sel .rawbytes').count(), 0);
        // What was left out is one box, whatever it is.
        assert.equal(await opened.page.locator('main .notice').count(), 1);
      }
      assert.deepEqual(await opened.trouble(), []);
      await opened.close();
    });
  });
}
