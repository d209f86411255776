// What Lighthouse says about the first page and a long page, as on a phone.
// Its performance depends on what else the machine does, so it is measured only if SITE_PERFORMANCE is set: the median of three runs.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { serve } from '../serve.mjs';
import { dist, executable } from './browser.mjs';

const least = 95;
let browser, site, lighthouse, port;

before(async () => {
  if (!existsSync(executable)) throw new Error(`Lighthouse needs ${executable}. Install the package chromium.`);
  ({ default: lighthouse } = await import('lighthouse').catch(error => { throw new Error('The npm package lighthouse is missing. Run "npm ci --prefix site".', { cause: error }); }));
  site = await serve(dist, { compressed: true });
  port = await serve(dist).then(free => (free.close(), Number(new URL(free.address).port)));
  browser = await chromium.launch({ executablePath: executable, args: [`--remote-debugging-port=${port}`, '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--in-process-gpu', '--force-prefers-reduced-motion'] });
});

after(async () => {
  await browser?.close();
  site?.close();
});

/** Returns the categories of a page with their scores from 0 to 100 and the audits that are not perfect. */
async function measure(path, onlyCategories) {
  const { lhr } = await lighthouse(`${site.address}/${path}`, { port, onlyCategories, disableFullPageScreenshot: true, logLevel: 'error' });
  assert.equal(lhr.runtimeError, undefined);
  return Object.values(lhr.categories).map(({ id, score, auditRefs }) => {
    const audits = auditRefs.filter(({ weight }) => weight > 0).map(audit => lhr.audits[audit.id]).filter(({ score }) => score !== null && score < 1);
    const failed = audits.map(({ id, displayValue, details }) => [id, displayValue, ...(details?.items ?? []).slice(0, 3).map(item => item.node?.snippet)].filter(text => text).join(' '));
    return { id, score: Math.round(score * 100), failed };
  });
}

for (const path of ['index.html', 'hosting.html']) {
  test(`Lighthouse_finds_${path}_accessible_and_readable_by_search_engines`, async () => {
    for (const { id, score, failed } of await measure(path, ['accessibility', 'best-practices', 'seo']))
      assert.ok(score >= least, `${id} is ${score}, and less than ${least}: ${failed.join('; ')}`);
  });

  if (process.env.SITE_PERFORMANCE)
    test(`Lighthouse_finds_${path}_fast`, async context => {
      const runs = [];
      for (let run = 0; run < 3; run++) runs.push(...await measure(path, ['performance']));
      const [, { score, failed }] = runs.sort((a, b) => a.score - b.score);
      context.diagnostic(`performance of ${path}: ${runs.map(({ score }) => score).join(', ')}`);
      assert.ok(score >= least, `The performance is ${score}, and less than ${least}: ${failed.join('; ')}`);
    });
}
