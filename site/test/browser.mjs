// One Chromium with one page for all tests of the built site.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from '../pages.mjs';
import { serve } from '../serve.mjs';

export const executable = '/usr/bin/chromium';
export const dist = join(root, 'site/.vitepress/dist');
const reducedMotion = { name: 'prefers-reduced-motion', value: 'reduce' };
export const sizes = { wide: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

/** Fails with one line that lists the items, so that a short log shows them. */
export const assertNone = (what, items) => items.length && assert.fail(`${what}: ${items.join(', ')}`);

/** Starts the server of the site and the browser. Only one visit at a time is possible. */
export async function open() {
  const site = await serve(dist);
  // No name is resolved, so that nothing leaves this machine. Drawing in the process of the browser saves a fifth of the time.
  const browser = await chromium.launch({ executablePath: executable, args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--in-process-gpu'] });
  const context = await browser.newContext({ viewport: sizes.wide, colorScheme: 'light', reducedMotion: 'reduce' });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page); // setViewportSize and emulateMedia of Playwright also resize the window, and take twice the time
  // A reader who saves data does not load the pages behind all links in advance. The test of the links reads these pages.
  await page.addInitScript(() => Object.defineProperty(navigator, 'connection', { value: { saveData: true } }));

  let problems = [];
  page.on('pageerror', error => problems.push(error.message));
  page.on('console', message => message.type() === 'error' && problems.push(message.text()));
  page.on('request', request => /^(data:|blob:)/.test(request.url()) || request.url().startsWith(site.address) || problems.push(`request to ${request.url()}`));
  page.on('response', response => response.status() >= 400 && problems.push(`${response.status()} ${response.url()}`));

  /** Waits until a condition in the page is true. `waitForFunction` draws a frame for each look. */
  const until = (condition, argument, where = page) => where.evaluate(`(async () => {
    for (let rest = 6000; !(${condition})(${argument}); rest--) {
      if (!rest) throw new Error('This did not become true in 30 s: ' + ${JSON.stringify(`${condition}`)});
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  })()`);
  /** Waits until the page is interactive and has its fonts. */
  const ready = where => until(() => document.querySelector('#app').__vue_app__ && document.fonts.status === 'loaded', undefined, where);

  let frame; // in which many pages are opened, one after the other

  return {
    page, ready, address: site.address,
    /** Shows the opened page at a size and in a theme, without loading it again. */
    async show(size, colorScheme) {
      if (frame) await page.evaluate(({ width, height }) => Object.assign(document.querySelector('iframe').style, { width: `${width}px`, height: `${height}px` }), sizes[size]);
      else await devtools.send('Emulation.setDeviceMetricsOverride', { ...sizes[size], deviceScaleFactor: 1, mobile: false });
      await devtools.send('Emulation.setEmulatedMedia', { features: [reducedMotion, { name: 'prefers-color-scheme', value: colorScheme }] });
      await until(dark => document.documentElement.classList.contains('dark') === dark, colorScheme === 'dark', frame);
    },
    /** Opens a path, and fails after the action if the page logged an error or asked for something that is missing or elsewhere. */
    async visit(path, action) {
      problems = [];
      frame = undefined;
      await page.goto(`${site.address}/${path}`);
      await ready();
      await action(page);
      assertNone('Problems', problems);
    },
    /** Does the same in a frame that is not drawn unless pictures are written. That saves a third of the time, and layout, scripts and themes are the same. */
    async visitFrame(path, action) {
      problems = [];
      if (!frame) {
        await page.goto(`${site.address}/404.html`); // any address of the site: its content is replaced
        await page.setContent(`<link rel="icon" href="data:,"><style>body{margin:0}iframe{border:0;visibility:${process.env.SITE_SCREENSHOTS ? 'visible' : 'hidden'};width:${sizes.wide.width}px;height:${sizes.wide.height}px}</style><iframe></iframe>`);
        frame = await (await page.$('iframe')).contentFrame();
      }
      await frame.goto(`${site.address}/${path}`);
      await ready(frame);
      await action(frame);
      assertNone('Problems', problems);
    },
    /** Writes a picture to look at, if SITE_SCREENSHOTS is set. Nothing is compared with it. */
    async picture(name) {
      if (!process.env.SITE_SCREENSHOTS) return;
      mkdirSync(join(root, 'artifacts/site'), { recursive: true });
      await (frame ? page.locator('iframe') : page).screenshot({ path: join(root, 'artifacts/site', `${name}.png`), animations: 'disabled' });
    },
    async close() {
      await browser.close();
      site.close();
    },
  };
}
