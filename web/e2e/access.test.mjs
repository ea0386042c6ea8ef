// For everybody: axe, phone width, keyboard alone.
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import { after, before, describe, it } from 'node:test';
import { close, made, open, routes, sample, serve, settle } from './open.mjs';

let server;
before(async () => {
  server = await serve(sample, made()('hostile'));
});
after(async () => {
  server?.stop();
  await close();
});

async function axe(page, what) {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  const bad = violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
  assert.deepEqual(bad.map((v) => `${what}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target} ${n.failureSummary}`).join(' | ')}`), []);
}

describe('axe finds nothing serious', () => {
  for (const [theme, width, lang] of [['light', 1280, 'en'], ['dark', 1280, 'zh'], ['light', 360, 'zh'], ['dark', 360, 'en']]) {
    it(`${theme}, ${width} wide, ${lang}`, async () => {
      const opened = await open(server.url, { theme, width, height: width === 360 ? 740 : 800, lang, motion: 'reduce' });
      const wrong = [];
      for (const route of routes) {
        await opened.go(route);
        const over = await opened.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 0) wrong.push(`${route}: ${over} px too wide`);
        // The same elements at another width: two panes stand for all, the rest is measured.
        if (width > 400 || route === '/map' || route === '/tag') await axe(opened.page, route).catch((e) => wrong.push(...(e.actual ?? [e.message])));
      }
      await opened.page.locator('.inspector-toggle').click({ timeout: 500 }).catch(() => {});
      await opened.go('/tag?key=general.name');
      await axe(opened.page, 'selected').catch((e) => wrong.push(...(e.actual ?? [e.message])));
      assert.deepEqual(wrong, []);
      assert.deepEqual(await opened.trouble(), []);
      await opened.close();
    });
  }
});

describe('the keyboard alone', () => {
  it('skips to the pane, changes panes, selects a key and finds its bytes', async () => {
    const opened = await open(server.url);
    const { page } = opened;
    await settle(page);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'skip');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');
    const tabTo = async (test, most = 60) => {
      for (let i = 0; i < most; i++) {
        if (await page.evaluate(test)) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`never reached: ${test}`);
    };
    await page.evaluate(() => document.querySelector('.skip')?.focus());
    await tabTo(() => document.activeElement?.textContent === 'Tag' && document.activeElement?.closest('nav') !== null);
    await page.keyboard.press('Enter');
    await settle(page);
    await tabTo(() => document.activeElement?.getAttribute('role') === 'treegrid');
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(300);
    assert.match(await page.locator('.inspector-body').innerText(), /general\.name/);
    const ring = await page.evaluate(() => getComputedStyle(document.querySelector('.grid-row.active')).outlineStyle);
    assert.equal(ring, 'solid');
    await tabTo(() => document.activeElement?.textContent === 'Bytes' && document.activeElement?.closest('.sel-actions') !== null);
    await page.keyboard.press('Enter');
    await settle(page);
    assert.ok((await page.locator('.hex-bytes .sel').count()) > 20);
    assert.deepEqual(await opened.trouble(), []);
    await opened.close();
  });

  it('moves through the areas of tensors and through their errors', async () => {
    const alike = await serve(sample, sample);
    const opened = await open(alike.url, { route: '/tensors?show=treemap' });
    const { page } = opened;
    await settle(page);
    await page.locator('.treemap').focus();
    const readout = () => page.locator('#readout').innerText();
    await page.keyboard.press('ArrowRight');
    const first = await readout();
    await page.keyboard.press('ArrowRight');
    const second = await readout();
    assert.match(first, /weight/);
    assert.match(second, /weight/);
    assert.notEqual(first, second);
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('tensor'));
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('show=stats'));
    await opened.go('/compare?show=weights');
    await page.locator('.pane-compare button.primary').click();
    const chart = page.locator('.error-chart');
    await chart.focus();
    await page.keyboard.press('End');
    // The same file twice: no tensor is off.
    assert.match(await chart.getAttribute('aria-valuetext'), /: 0$/);
    await page.keyboard.press('Home');
    const name = (await chart.getAttribute('aria-valuetext')).replace(/: 0$/, '');
    assert.equal((await page.locator('.pane-compare .grid-row.current').innerText()).split('\n')[0], name);
    assert.deepEqual(await opened.trouble(), []);
    await opened.close();
    alike.stop();
  });
});
