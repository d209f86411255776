// Searches the built site by the script of docfx that its pages run, and follows links from the first page, without a browser. It needs "dotnet run site/build.cs".
// Run it by "node --test site/test/search.test.mjs".
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { links, output, pages, read } from './site.mjs';

/** Returns the addresses of the results, the best first. */
let search;

before(async () => {
  const answers = [];
  Object.assign(globalThis, {
    onmessage: null,
    indexedDB: { open: () => ({}) }, // only a server that names versions of files fills it
    fetch: async path => ({ headers: new Headers(), json: async () => JSON.parse(read(path.replace('../', ''))) }),
    postMessage: answer => answers.shift()(answer),
  });
  const ask = message => new Promise(resolve => { answers.push(resolve); globalThis.onmessage({ data: message }); });
  await import(pathToFileURL(join(output, 'public/search-worker.min.js')));
  assert.equal((await ask({ init: {} })).e, 'index-ready');
  search = async words => (await ask({ q: words })).d.map(hit => hit.href);
});

test('Search_finds_each_type_and_each_member_by_its_exact_name_first', async () => {
  const index = JSON.parse(read('index.json')), wrong = [];
  const named = Object.values(index).filter(entry => entry.href.startsWith('api/')).map(entry => ({ href: entry.href, name: entry.keywords[0] }));
  assert.ok(named.length > 1500, `Only ${named.length} types and members are in the index.`);
  for (const { href, name } of named) {
    const [first] = await search(name);
    // Several types may have the same name, in other packages or with type parameters.
    if (first !== href && !named.some(other => other.href === first && other.name.toLowerCase() === name.toLowerCase())) wrong.push(`${name}: ${first}`);
  }
  assert.deepEqual(wrong, []);
});

test('Search_for_a_part_of_a_name_finds_a_member_with_it', async () => {
  for (const [words, expected] of Object.entries({ 'OnRequest': /^api\/.*\.MessageHost\.html#.*_OnRequest_/, 'MaxPendingBytes': /^api\/.*HostLimits_MaxPendingBytes$/ }))
    assert.match((await search(words))[0], expected, words);
});

test('Search_finds_guides_before_figures_and_before_pages_for_contributors', async () => {
  for (const [words, expected] of Object.entries({ 'encryption': 'docs/transports.html', 'encrypt': 'docs/transports.html', 'reconnect': 'docs/hosting.html', 'keep-alive': 'docs/hosting.html', 'RM0001': 'docs/analyzers.html', 'uvarint': 'clients/binary-format.html' })) {
    const found = (await search(words)).filter(path => !path.startsWith('api/'));
    const later = found.findIndex(path => /benchmarks|^internals\//.test(path));
    assert.ok(found.includes(expected), `${words}: ${found}`);
    assert.ok(later < 0 || found.indexOf(expected) < later, `${words}: ${found}`);
  }
});

test('Each_page_of_a_type_leads_to_its_package_and_each_guide_to_types', () => {
  const guides = pages().filter(path => path.startsWith('docs/') && !/benchmarks|shapes|from-version-2|changes|documentation|platforms/.test(path));
  const types = pages().filter(path => /^api\/Reloaded\./.test(path));
  assert.ok(guides.length > 15 && types.length > 150, `${guides.length} guides, ${types.length} types`);
  for (const path of guides)
    assert.ok(links(read(path)).some(link => /^\.\.\/api\/Reloaded\./.test(link.href)), `${path} leads to no type.`);
  const used = types.filter(path => links(read(path)).some(link => /^\.\.\/docs\//.test(link.href)));
  assert.ok(used.length > 100, `Only ${used.length} types lead to a guide.`);
  const contents = JSON.parse(read('api/toc.json')), listed = new Set();
  (function list(items) { for (const item of items) { listed.add(item.href); list(item.items ?? []); } })(contents.items);
  for (const path of types) assert.ok(listed.has(path.replace('api/', '')), `The contents of the reference lack ${path}.`);
});

// What a newcomer looks for, from the first page: by a link on it, or by words in the search of each page.
const first = () => links(read('index.html'));

test('First_page_leads_to_the_first_message', () => {
  const { href } = first().find(link => link.text === 'Get started');
  assert.match(read(href), /<code class="lang-csharp">[^<]*MessageHost\.ConnectAsync[^<]*RequestAsync/s);
});

test('Search_finds_what_a_full_queue_means', async () => {
  const [page, anchor] = (await search('SendStatus.Full'))[0].split('#');
  const text = read(page).split(`id="${anchor}"`)[1].split('<dt')[0].replace(/<[^>]*>/g, ' ');
  assert.match(text, /queue|buffer/);
  assert.match(text, /wait|later|again|limit/);
  assert.ok(links(read(page)).some(link => link.href.startsWith('../docs/')), 'The page leads to no guide.');
  assert.match(read('docs/errors.html').split('id="sendstatus-full"')[1].split('</tr>')[0].replace(/<[^>]*>/g, ' '), /\S+ \S+ \S+/);
});

test('Search_finds_the_members_of_a_peer', async () => {
  const [page] = await search('Peer');
  const members = [...read(page).matchAll(/<h3 id="([^"]*)"/g)].map(([, id]) => id);
  for (const name of ['RemoteName', 'RequestAsync', 'Send', 'DisconnectAsync'])
    assert.ok(members.some(id => id.includes(`_Peer_${name}`)), `${page} has no ${name}.`);
});

test('Search_finds_how_to_open_a_UDP_server_to_the_internet', async () => {
  for (const words of ['internet', 'udp internet', 'public server']) {
    const found = (await search(words)).filter(path => path.startsWith('docs/')).slice(0, 4);
    assert.ok(found.some(path => /Protection/.test(read(path)) && /internet/.test(read(path)) && /udp/i.test(read(path))), `${words}: ${found}`);
  }
});

test('First_page_has_the_figure_beside_SignalR', async () => {
  const figure = read('index.html').match(/<dt>SignalR<\/dt><dd><span[^>]*><\/span><b>([\d,]+)<\/b>/)[1];
  const all = first().find(link => link.text === 'All figures').href.split('#')[0];
  assert.ok(read(all).includes(`SignalR, MessagePack (TCP) ${figure}`), `${all} has no ${figure}.`);
  assert.ok((await search('SignalR')).filter(path => path.startsWith('docs/')).slice(0, 3).includes('docs/comparison.html'));
});
