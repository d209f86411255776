// Searches the built site by the script of docfx that its pages run, and follows links from the first page, without a browser. It needs "dotnet run site/build.cs".
// Run it by "node --test site/test/search.test.mjs".
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
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

/** A name without the ending that the search does not read: it takes "Connected" for "Connecting". */
const stem = name => name.toLowerCase().replace(/(ing|ed|e|s)$/, '');

test('Search_finds_each_type_and_each_member_by_its_exact_name_first', async () => {
  const index = JSON.parse(read('index.json')), wrong = [];
  const named = Object.values(index).filter(entry => entry.href.startsWith('api/')).map(entry => ({ href: entry.href, name: entry.keywords[0] }));
  assert.ok(named.length > 1200, `Only ${named.length} types and members are in the index.`);
  for (const { href, name } of named) {
    if (/operator/.test(name)) continue; // no word that a reader enters
    const [first] = await search(name), found = named.find(other => other.href === first)?.name; // several types may have the name, in other packages or with type parameters
    if (!found || stem(found) !== stem(name)) wrong.push(`${name}: ${first}, not ${href}`);
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

test('Each_page_leads_to_the_reference_and_types_lead_to_guides', () => {
  const guides = pages().filter(path => path.startsWith('docs/') && !/benchmarks|changes|comparison|documentation|from-version-2|platforms|shapes/.test(path));
  const types = pages().filter(path => /^api\/Reloaded\./.test(path));
  assert.ok(guides.length > 15 && types.length > 150, `${guides.length} guides, ${types.length} types`);
  assert.ok(JSON.parse(read('toc.json')).items.some(item => item.href === 'api/index.html'));
  for (const path of pages()) // the bar at the top of each page is this list
    assert.equal(join(dirname(path), read(path).match(/<meta name="docfx:navrel" content="([^"]*)">/)?.[1] ?? ''), 'toc.html', path);
  const naming = guides.filter(path => links(read(path)).some(link => /^\.\.\/api\/Reloaded\./.test(link.href)));
  assert.ok(naming.length > 15, `Only ${naming.length} guides lead to a type.`);
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
  assert.match(text, /not sent, because .* wait for the peer.*Drop the message, or wait/s);
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
  for (const words of ['internet', 'udp internet', 'open udp server to the internet']) {
    const found = (await search(words)).slice(0, 4);
    assert.ok(found.includes('docs/security.html'), `${words}: ${found}`);
  }

  const answer = read('docs/security.html').split('id="open-a-server-to-the-internet"')[1].split('</ol>')[0];
  assert.match(answer, /UDP/);
  assert.match(answer, /<code class="lang-csharp">[^<]*WithServerKeyFile[^<]*<\/code>/s);
});

test('First_page_has_the_figure_beside_SignalR', async () => {
  const figure = read('index.html').match(/<dt>SignalR<\/dt><dd><span[^>]*><\/span><b>([\d,]+)<\/b>/)[1];
  const all = first().find(link => link.text === 'All figures').href.split('#')[0];
  assert.ok(read(all).includes(`SignalR, MessagePack (TCP) ${figure}`), `${all} has no ${figure}.`);
  assert.ok((await search('SignalR')).filter(path => path.startsWith('docs/')).slice(0, 3).includes('docs/comparison.html'));
});

test('Missing_page_leads_to_the_pages_of_the_site_from_each_address', () => {
  const page = read('404.html'), addresses = links(page).map(link => link.href);
  assert.ok(addresses.length > 2);
  for (const address of addresses) assert.ok(existsSync(join(output, address)), address);
  for (const [pathname, root] of Object.entries({ '/old.html': '/', '/old': '/', '/docs/old.html': '/', '/docs/a/b': '/', '/Reloaded.Messaging/old.html': '/Reloaded.Messaging/', '/Reloaded.Messaging/docs/old.html': '/Reloaded.Messaging/', '/Reloaded.Messaging/api/Reloaded.Old.html': '/Reloaded.Messaging/' })) {
    const documentLinks = addresses.map(href => ({ href, getAttribute: () => href }));
    runInNewContext(page.match(/<script>(.*?)<\/script>/s)[1], { location: { pathname }, document: { links: documentLinks } });
    assert.deepEqual(documentLinks.map(link => link.href), addresses.map(address => root + address), pathname);
  }
});
