// What each pane shows of the sample, and that a selection made in one is seen in all.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { close, made, open, routes, sample, serve, settle, slack } from './open.mjs';

let server;
let opened;
let page;
before(async () => {
  server = await serve(sample, made()('hostile'));
  opened = await open(server.url);
  page = opened.page;
  await settle(page);
});
after(async () => {
  await opened?.close();
  server?.stop();
  await close();
});
const text = (selector) => page.locator(selector).first().innerText();
const address = () => page.evaluate(() => location.hash);

describe('the sample', () => {
  it('takes the token out of the address, and keeps it over a reload', async () => {
    assert.doesNotMatch(page.url(), /token/);
    await page.reload();
    await page.waitForSelector('.strip-canvas');
    await settle(page);
  });

  it('is named and summed up', async () => {
    assert.match(await text('.readout'), /Tiny Llama.*llama.*2 layers.*Q4_K_M/s);
    assert.match(await text('.strip-legend'), /head 11\.3 KiB.*data 376 KiB/s);
  });

  it('is drawn as a map, whose parts are a table', async () => {
    await opened.go('/map');
    assert.match(await text('.pane-map .grid'), /general\.architecture/);
    await page.locator('.map-box').click({ position: { x: 8, y: 60 } });
    assert.match(await text('.inspector-body'), /header/);
    await page.locator('.map-box').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(100);
    assert.match(await text('.readout'), /general\.architecture/);
    for (const key of ['+', '+', '+', '+', '+', '+', '+', '+']) await page.keyboard.press(key);
    await page.waitForTimeout(400);
    assert.match(await text('.map-foot'), /Shown: 0x/);
    await page.keyboard.press('0');
  });

  it('has its keys in a tree, with meanings; a click is seen everywhere', async () => {
    await opened.go('/tag');
    await page.locator('.pane-tag .search').fill('head_count_kv');
    await page.locator('.pane-tag .grid-row', { hasText: 'head_count_kv' }).click();
    await page.locator('.pane-tag .search').fill('');
    await page.waitForTimeout(400);
    assert.match(await address(), /#\/tag\?file=0&at=0x[0-9a-f]+&n=\d+/);
    assert.match(await text('.inspector-body'), /llama\.attention\.head_count_kv.*meaning/s);
    assert.ok(await page.locator('.strip-mark').isVisible());
    await page.locator('.sel-actions button', { hasText: 'Bytes' }).click();
    await settle(page);
    assert.ok((await page.locator('.hex-bytes .sel').count()) > 20);
    await page.goBack();
    await page.waitForTimeout(200);
    assert.match(await address(), /#\/tag/);
  });

  it('is searched and filtered', async () => {
    await opened.go('/tag');
    await page.locator('.pane-tag .search').fill('rope');
    await page.waitForFunction(() => /of 39/.test(document.querySelector('.pane-tag .bar')?.textContent ?? ''));
    await page.locator('.pane-tag .search').fill('');
    await opened.go('/tag?show=vocabulary');
    await page.locator('.pane-tag .search').fill('<s>');
    await page.waitForFunction(() => document.querySelectorAll('.token').length === 1);
    await page.locator('.pane-tag .search').fill('');
  });

  it('renders the chat template with what is typed', async () => {
    await opened.go('/tag?show=template');
    await page.locator('.talk textarea').nth(1).fill('Is this <b>bold</b>?');
    await page.waitForFunction(() => document.querySelector('.rendered')?.textContent?.includes('Is this <b>bold</b>?'), null, { timeout: 15_000 * slack });
    assert.equal(await page.locator('.rendered b').count(), 0);
  });

  it('shows bytes with their fields, and goes to a position', async () => {
    await opened.go('/bytes');
    await page.locator('.goto input').fill('0x2d00');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(250);
    await settle(page);
    assert.match(await text('.readout'), /token_embd\.weight/);
    await page.locator('.goto input').fill('99999999');
    await page.keyboard.press('Enter');
    assert.match(await text('.wrong'), /396,864/);
    await page.locator('.hex-grid .scroller').focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(300);
    assert.match(await text('.inspector-body'), /magic/);
  });

  it('is walked step by step', async () => {
    await opened.go('/walk?file=0&at=0&n=4');
    await page.waitForTimeout(200);
    assert.match(await text('.walk-card'), /magic/);
    await page.getByRole('button', { name: 'Step forward' }).click();
    await page.waitForTimeout(300);
    assert.match(await text('.walk-card'), /version/);
    await page.locator('.walk form input').fill('tokenizer.ggml.scores');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.jump-told');
    assert.match(await text('.jump-told'), /jumps over/);
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForTimeout(1300);
    await page.getByRole('button', { name: 'Pause' }).click();
  });

  it('is resolved to a configuration whose values lead to bytes', async () => {
    await opened.go('/load');
    await page.locator('.setting', { hasText: 'context length' }).locator('button').click();
    await page.waitForTimeout(200);
    assert.match(await text('.readout'), /llama\.context_length/);
    await opened.go('/load?show=memory');
    const total = await text('.cache .figures');
    await page.locator('.cache-slider input').focus();
    await page.keyboard.press('End');
    await page.waitForTimeout(100);
    assert.notEqual(await text('.cache .figures'), total);
    assert.match(await text('.cache'), /more than the model was trained for/);
    await opened.go('/load?show=diagram');
    assert.match(await page.locator('.diagram-svg').textContent(), /× 2/);
  });

  it('has its tensors looked into', async () => {
    await opened.go('/tensors?tensor=blk.0.attn_k.weight');
    assert.match(await text('.inspector-body'), /blk\.0\.attn_k\.weight.*Q4_K/s);
    await opened.go('/tensors?tensor=blk.0.attn_k.weight&show=stats');
    assert.match(await text('.stats'), /8,192/);
    await opened.go('/tensors?tensor=blk.0.attn_k.weight&show=values');
    await page.locator('.heat-box').focus();
    await page.keyboard.press('ArrowRight');
    assert.match(await text('#heat-say'), /row \d+, column \d+/);
    await opened.go('/tensors?tensor=blk.0.attn_k.weight&show=block&block=3');
    await page.locator('.block-values span').nth(5).hover();
    await page.waitForFunction(() => /0\.0003349781 \* 47 \* 9/.test(document.querySelector('.rule-numbers')?.textContent ?? ''));
    assert.equal(await page.locator('.byte i.hot').count(), 16 + 16 + 6 + 6 + 4);
  });

  it('is checked, and compared with another model', async () => {
    await opened.go('/check');
    assert.match(await text('.verdict'), /No findings|note|warning/);
    await opened.go('/compare');
    assert.match(await text('.pane-compare'), /difference/);
    await opened.go('/compare?show=weights');
    await page.waitForTimeout(200);
  });

  it('is found again by deep links', async () => {
    const second = await open(server.url, { route: '/bytes?file=0&at=0x18&n=8' });
    await settle(second.page);
    assert.match(await second.page.locator('.inspector-body').innerText(), /length.*20/s);
    await second.close();
  });

  it('says that an address names what is not there', async () => {
    for (const [route, says] of [['/bytes?at=99999999999', /0x174876e7ff/], ['/bytes?file=9&at=1', /not open here/], ['/tag?key=nosuch', /nosuch/], ['/tensors?tensor=nosuch', /nosuch/]]) {
      await opened.go('/map');
      await opened.go(route);
      await page.waitForFunction((of) => new RegExp(of).test(document.querySelector('.notices')?.textContent ?? ''), says.source, { timeout: 10_000 * slack });
      assert.match(await text('.inspector'), /consists of/);
    }
    await opened.go('/tag?key=general.name');
    assert.equal(await page.locator('.notices').count(), 0);
  });

  it('keeps a new token out of the history, whatever pane is open', async () => {
    await opened.go('/tensors');
    await page.goto(server.url);
    await page.waitForSelector('.strip-canvas', { timeout: 20_000 * slack });
    await settle(page);
    const session = await page.context().newCDPSession(page);
    const { entries } = await session.send('Page.getNavigationHistory');
    assert.deepEqual(entries.map((x) => x.url).filter((x) => /token=/.test(x)), []);
  });

  it('speaks Chinese, and remembers it', async () => {
    await page.getByRole('button', { name: '中文' }).click();
    await opened.go('/load');
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN');
    assert.match(await text('.pane-load'), /上下文长度/);
    await page.reload();
    await page.waitForSelector('.strip-canvas');
    assert.match(await text('nav'), /元数据/);
    for (const route of routes) {
      await opened.go(route);
      const left = await page.evaluate(() => document.querySelector('main')?.innerText.match(/\b[a-z]+\.[a-z-]+(?=\s|$)/gi)?.filter((w) => /^(app|pane|intro|kind|field|state|sel|map|tag|bytes|walk|load|tensors|check|compare)\./.test(w)) ?? []);
      assert.deepEqual(left, [], route);
    }
    await page.getByRole('button', { name: 'EN', exact: true }).click();
  });

  it('raises no error on the way', async () => {
    assert.deepEqual(await opened.trouble(), []);
  });
});
