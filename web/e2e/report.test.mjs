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

for (const [name, file] of [['sample', sample], ['hostile', made()('hostile')]]) {
  describe(`a report of the ${name}`, () => {
    it('answers from itself in every pane', async () => {
      const out = path.join(folder, `${name}.html`);
      execFileSync(gguf, ['report', '--output', out, file], { stdio: 'ignore' });
      const opened = await open(pathToFileURL(out).href);
      for (const lang of ['EN', '中文']) {
        await opened.page.getByRole('button', { name: lang, exact: true }).click();
        for (const route of routes) {
          await opened.go(route);
          assert.ok((await opened.page.locator('main').innerText()).trim().length > 0, route);
          assert.equal(await opened.page.evaluate(() => window.__ran), undefined, route);
        }
      }
      await opened.page.getByRole('button', { name: 'EN', exact: true }).click();
      await opened.go('/tag');
      assert.match(await opened.page.locator('.pane-tag').innerText(), /architecture/);
      await opened.go('/bytes?file=0&at=0x0');
      assert.match(await opened.page.locator('.hex-grid').innerText(), /magic/);
      assert.deepEqual(await opened.trouble(), []);
      await opened.close();
    });
  });
}
