// The rewriting of the links of documents, the anchors that are added to them, and the page of an AsyncAPI document.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeAsyncApi } from '../asyncapi.mjs';
import { describe, withDescription } from '../description.mjs';
import { markShell } from '../markdown.mjs';
import { addAnchors, documents as all, rewriteLinks, root, withoutTests } from '../pages.mjs';

const documents = [
  { source: 'README.md', page: 'index.md', title: 'Small' },
  { source: 'docs/first.md', page: 'first.md', title: 'First steps' },
  { source: 'docs/images/plot.svg', page: 'images/plot.svg', title: '' },
  { source: 'docs/inside/second.md', page: 'inside/second.md', title: 'Second' },
];
const rewrite = (text, source = 0) => rewriteLinks(text, documents[source], documents, { 'Source/Small': 'api/small.md' });

test('Link_between_documents_leads_to_page', () => {
  assert.equal(rewrite('See [the `first` page](docs/first.md#a-b).'), 'See [the `first` page](first.md#a-b).');
  assert.equal(rewrite('[Overview](../README.md)', 1), '[Overview](index.md)');
});

test('Links_of_page_in_folder_lead_to_page_and_image', () => {
  assert.equal(rewrite('[a](../first.md#b), [c](second.md), ![d](../images/plot.svg)', 3), '[a](../first.md#b), [c](second.md), ![d](../images/plot.svg)');
  assert.equal(rewrite('[a](docs/inside/second.md)'), '[a](inside/second.md)');
});

test('Label_that_is_file_name_becomes_title', () => assert.equal(rewrite('[docs/first.md](docs/first.md)'), '[First steps](first.md)'));

test('Link_to_folder_of_package_leads_to_reference', () => assert.equal(rewrite('[Small](../Source/Small)', 1), '[Small](api/small.md)'));

test('Link_to_other_file_becomes_text', () => {
  assert.equal(rewrite('the [source](Examples/Echo/)'), 'the source (`Examples/Echo`)');
  assert.equal(rewrite('[`Examples/Echo`](Examples/Echo)'), '`Examples/Echo`');
  assert.equal(rewrite('[Echo](Examples/Echo)'), '`Examples/Echo`');
});

test('External_link_anchor_image_and_code_stay', () => {
  for (const text of ['[a](https://b.example/c.md)', '[a](#b)', '![a](images/plot.svg)', '```\n[a](Examples/Echo)\n```'])
    assert.equal(rewrite(text), text);
});

test('Link_to_missing_file_throws_with_both_names', () =>
  assert.throws(() => rewrite('[a](missing.md)', 1), { message: 'docs/first.md links to missing.md, which does not exist.' }));

test('Asyncapi_document_is_page_with_rows_for_messages_and_fields', () => {
  const { source, title } = all.find(({ page }) => page === 'dashboard-messages.md');
  const page = writeAsyncApi(readFileSync(join(root, source), 'utf8'));
  assert.equal(title, 'Messages of the dashboard');
  for (const row of ['| [SetMod](#setmod) | request | [ModInfo](#modinfo) | A request of a page to suspend a mod, or to resume it. |', '| `Peers` | array of [PeerInfo](#peerinfo) |',
    '| `RoundTripMilliseconds` | number or `NaN` or `Infinity` or `-Infinity` |', '### Run'])
    assert.ok(page.split('\n').includes(row), row);
});

test('Row_of_status_and_section_of_diagnostic_have_anchors', () => {
  assert.equal(addAnchors('## Sending: `SendStatus`\n\n| `Full` | Wait. |'), '## Sending: `SendStatus`\n\n| <a id="sendstatus-full" href="#sendstatus-full">`Full`</a> | Wait. |');
  assert.equal(addAnchors('### RM2004: a status'), '<a id="rm2004"></a>\n\n### RM2004: a status');
  assert.equal(addAnchors('## Limits\n\n| `Full` | Wait. |'), '## Limits\n\n| `Full` | Wait. |');
});

test('Each_status_reason_fault_and_exception_of_packages_has_anchor', () => {
  const surface = ['Reloaded.Messaging.Tests', 'Integrations/RabbitMQ/Tests'].map(folder => join(root, folder)).flatMap(folder => readdirSync(folder, { recursive: true })
    .filter(path => /PublicSurface.[^/\\]+\.approved\.txt$/.test(path)).map(path => readFileSync(join(folder, path), 'utf8'))).join('\n');
  const wanted = [...surface.matchAll(/^(?:enum \S*\.(\w+(?:Status|Reason|Failure)) |static class \S*\.(FaultCode)$)[^]*?(?=^\S|$(?![^]))/gm)].flatMap(([body, type, faults]) =>
    [...body.matchAll(faults ? /^ +const int (\w+) = \d{1,3}$/gm : /^ +\d+ (\w+)$/gm)].map(([, name]) => `${type ?? faults}-${name}`.toLowerCase()));
  const exceptions = [...surface.matchAll(/^sealed class \S*\.(\w+Exception) /gm)].map(([, name]) => name);
  const page = addAnchors(readFileSync(join(root, 'docs/errors.md'), 'utf8'));

  assert.ok(wanted.length > 100 && exceptions.length > 5);
  assert.deepEqual(wanted.filter(id => !page.includes(`<a id="${id}" href="#${id}">`)), []);
  assert.deepEqual(exceptions.filter(name => !page.includes(`\n### \`${name}\`\n`)), []);
});

test('Block_that_begins_with_command_is_shell', () => {
  assert.equal(markShell('```\ndotnet run\n```\n\n```\nHello\n```\n\n- a\n\n  ```\n  npm ci\n  ```'), '```sh\ndotnet run\n```\n\n```\nHello\n```\n\n- a\n\n  ```sh\n  npm ci\n  ```');
  assert.equal(markShell('```ts\nnode\n```\n```\ntext\n```'), '```ts\nnode\n```\n```\ntext\n```');
});

test('Image_of_document_leads_to_its_place_on_the_site', () => assert.equal(rewrite('![a](docs/images/plot.svg)'), '![a](images/plot.svg)'));

test('Description_has_whole_sentences_without_markup', () => {
  const first = 'A [host](hosting.md) of `T` sends what a program gives to it.';
  assert.equal(describe(`# Title\n\n| a |\n|---|\n\n${first} The second sentence is here.\n\n${'Long '.repeat(40)}`, 'a.md'), 'A host of T sends what a program gives to it. The second sentence is here.');
  assert.match(describe(`# Title\n\n${'many words '.repeat(20)}.`, 'a.md'), /^(many words ?)+ many…$|^(many words ?)+…$/);
  assert.throws(() => describe('# Title\n\nShort.', 'a.md'), { message: 'a.md has too little prose for a description of 50 characters: "Short.".' });
});

test('Front_matter_is_one_block_with_description_and_outline', () => {
  const text = '# Title\n\nA sentence that is long enough for the description of a page.\n';
  const description = '---\ndescription: "A sentence that is long enough for the description of a page."\n';
  assert.equal(withDescription(text, 'a.md'), `${description}---\n\n${text}`);
  assert.equal(withDescription(text, 'a.md', 2), `${description}outline: 2\n---\n\n${text}`);
});

test('Comment_that_names_a_test_is_removed', () =>
  assert.equal(withoutTests('It never fails. <!-- test: A.B_c_d --> It ends.\n<!-- group core -->'), 'It never fails. It ends.\n<!-- group core -->'));
