// Files that are broken, hostile, split, or very large.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { close, made, open, routes, said, serve, settle, slack } from './open.mjs';

const file = made();
after(close);

async function visit(files, walk, options) {
  const server = await serve(...files);
  const opened = await open(server.url, options);
  try {
    await walk(opened, opened.page);
    assert.deepEqual(await opened.trouble(), []);
  } finally {
    await opened.close();
    server.stop();
  }
}

describe('a hostile file', () => {
  it('is shown in every pane as the text that it is; nothing of it runs', async () => {
    await visit([file('hostile')], async (opened, page) => {
      for (const route of routes) {
        await opened.go(route);
        assert.equal(await page.evaluate(() => window.__ran), undefined, route);
        const strange = await page.evaluate(() => [...document.querySelectorAll('img, iframe, object, embed, script:not([src]), [onerror], [onload]')].map((e) => e.outerHTML));
        assert.deepEqual(strange, [], route);
      }
      await opened.go('/tag');
      assert.match(await page.locator('.pane-tag').innerText(), /<img src=x onerror=/);
      const seen = await page.locator('body').innerText();
      assert.doesNotMatch(seen, /[\u202a-\u202e\u2066-\u2069\u0007\u001b]/);
      await opened.go('/tag?show=template');
      await page.waitForFunction(() => /<img src=x/.test(document.querySelector('.rendered')?.textContent ?? ''), null, { timeout: 15_000 * slack });
      await opened.go('/tag?show=vocabulary');
      assert.match(await page.locator('.pane-tag').innerText(), /\\u\{202e\}abc/);
    });
  });
});

describe('broken files', () => {
  for (const [name, says] of [['broken', /cannot be read to its end/], ['cut', /missing|ends before/], ['empty', /empty|0 bytes|no bytes|end of file/i]]) {
    it(`${name}: every pane says what it can, and what is wrong`, async () => {
      await visit([file(name)], async (opened, page) => {
        for (const route of routes) {
          await opened.go(route);
          assert.ok((await page.locator('main').innerText()).trim().length > 0, route);
        }
        await opened.go('/check');
        assert.match(await page.locator('main').innerText(), says);
      });
    });
  }
});

describe('what was not read', () => {
  const ofKeys = ['tag.no-pairs', 'tag.no-template', 'tag.no-tokens', 'load.none', 'load.from-default', 'load.from-missing'];
  const ofTensors = ['tensors.none', 'load.diagram-none', 'load.tied'];
  const cases = {
    broken: [...ofKeys, ...ofTensors, 'walk.done'],
    'cut-array': [...ofKeys, ...ofTensors, 'walk.done'],
    'cut-table': [...ofTensors, 'walk.done'],
    'cut-header': [...ofKeys, ...ofTensors, 'walk.done', 'state.nothing', 'state.retry'],
    empty: [...ofKeys, ...ofTensors, 'walk.done', 'state.nothing', 'state.retry'],
    'late-00002-of-00003': [...ofKeys, 'tensors.none'],
  };
  for (const [name, lies] of Object.entries(cases)) {
    it(`${name}: is called absent in no pane and no language`, async () => {
      await visit([file(name)], async (opened, page) => {
        for (const [n, lang] of ['EN', '中文'].entries()) {
          await page.getByRole('button', { name: lang, exact: true }).click();
          for (const route of routes) {
            await opened.go(route);
            if (route === '/walk' && (await page.locator('.walk-slider').count()) > 0) {
              // At the last step already it is disabled.
              const last = page.locator('.transport button').last();
              if (await last.isEnabled()) await last.click();
              await settle(page);
            }
            const text = await page.evaluate(() => {
              const main = document.querySelector('main').cloneNode(true);
              for (const part of main.querySelectorAll('.intro, select')) part.remove();
              return main.textContent;
            });
            for (const lie of lies) {
              const badge = lie.startsWith('load.from-');
              const there = badge ? (await page.locator('main .badge.from', { hasText: said(lie)[n] }).count()) > 0 : text.includes(said(lie)[n]);
              assert.equal(there, false, `${lang} ${route} ${lie}: ${text.slice(0, 400)}`);
            }
          }
        }
      });
    });
  }
  it('is told apart from what is absent', async () => {
    await visit([file('no-tokens')], async (opened, page) => {
      for (const [n, lang] of ['EN', '中文'].entries()) {
        await page.getByRole('button', { name: lang, exact: true }).click();
        for (const [route, says] of [['/tag?show=vocabulary', 'tag.no-tokens'], ['/tag?show=template', 'tag.no-template']]) {
          await opened.go(route);
          assert.ok((await page.locator('main .blank').innerText()).includes(said(says)[n]), `${lang} ${route}`);
          assert.equal(await page.locator('main [role=alert]').count(), 0);
        }
      }
    });
  });
});

describe('a set of shards', () => {
  it('is one model of two files', async () => {
    await visit([file('set-00001-of-00002')], async (opened, page) => {
      assert.match(await page.locator('.top').innerText(), /2 files/);
      await opened.go('/tensors');
      assert.match(await page.locator('.pane-tensors').innerText(), /blk\.0\.attn_q\.weight/);
      await opened.go('/tensors?tensor=blk.0.attn_q.weight');
      assert.match(await page.locator('.inspector-body').innerText(), /00002-of-00002/);
      await opened.go('/bytes');
      assert.ok((await page.locator('.hex-bytes .sel').count()) > 10);
    });
  });
});

describe('twelve gigabytes', () => {
  it('scroll from the first byte to the last', async () => {
    await visit([file('hugesparse')], async (opened, page) => {
      await opened.go('/bytes?at=0x200000010&n=4');
      assert.match(await page.locator('.hex-grid').innerText(), /200000010/);
      const first = await page.locator('.hex-offset').nth(1).innerText();
      await page.locator('.hex-grid .scroller').hover();
      await page.mouse.wheel(0, 48);
      await page.waitForTimeout(200);
      const second = await page.locator('.hex-offset').nth(1).innerText();
      assert.equal(parseInt(second, 16) - parseInt(first, 16), 32);
      await page.getByRole('button', { name: 'Last byte' }).click();
      await page.waitForTimeout(200);
      await settle(page);
      assert.match(await page.locator('.hex-grid').innerText(), /2fffffff0/);
    });
  });
});

describe('twenty thousand tensors', () => {
  it('are listed, sorted and drawn', async () => {
    await visit([file('many')], async (opened, page) => {
      await opened.go('/tensors');
      await page.waitForFunction(() => /20,000 tensors/.test(document.querySelector('.pane-tensors')?.textContent ?? ''));
      await page.locator('.pane-tensors .scroller').focus();
      await page.keyboard.press('End');
      await page.waitForTimeout(150);
      assert.match(await page.locator('.pane-tensors .grid').innerText(), /blk\.1999\.extra/);
      await page.getByRole('button', { name: 'Name' }).click();
      await opened.go('/tensors?show=treemap');
      await opened.go('/load?show=diagram');
      assert.match(await page.locator('.diagram-svg').textContent(), /× 2000/);
      await opened.go('/map');
    });
  });
});
