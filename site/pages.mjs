// Copies README.md, CHANGES.md, docs/ and the pages of the neighbours to site/pages for the site, and writes the API reference and the messages of an example beside them.
// The originals stay plain Markdown, so that they can be read in the repository too.
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pageName, writeReference } from './api/reference.mjs';
import { writeAsyncApi } from './asyncapi.mjs';
import { withDescription } from './description.mjs';
import { writeLanding } from './landing.mjs';
import { markShell } from './markdown.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const pages = join(root, 'site/pages');
/** Returns a text without the comments that name the tests of its sentences. */
export const withoutTests = text => text.replace(/ <!-- test: [\w.]+ -->/g, '');

const read = path => withoutTests(readFileSync(join(root, path), 'utf8'));
const filesIn = folder => readdirSync(join(root, folder), { withFileTypes: true })
  .flatMap(entry => entry.isDirectory() ? filesIn(`${folder}/${entry.name}`) : `${folder}/${entry.name}`);

/** Returns the first heading of a document, up to a comma or a colon. */
export const title = text => text.match(/^# ([^,:\n]*)/m)[1];

/** Returns the Markdown of a document, which may be an AsyncAPI document. */
const markdown = source => source.endsWith('.json') ? writeAsyncApi(read(source)) : read(source);

/** The version of the sources. */
export const version = read('Directory.Build.props').match(/<Version[^>]*>(.*)<\/Version>/)[1];

/** The address of the repository, from the properties of the packages. */
export const repository = read('Directory.Build.props').match(/<RepositoryUrl>(.*)<\/RepositoryUrl>/)[1];

/** The documents and images that become parts of the site, as { source, page, title }. The paths are relative. */
export const documents = [
  { source: 'README.md', page: 'overview.md' },
  { source: 'CHANGES.md', page: 'changes.md' },
  { source: 'Clients/Dashboard/asyncapi.json', page: 'dashboard-messages.md' },
  { source: 'Integrations/RabbitMQ/README.md', page: 'integration-rabbitmq.md' },
  { source: 'Clients/README.md', page: 'clients.md' },
  ...['docs', 'Integrations/RabbitMQ/docs', 'Integrations/ModLoaders/docs', 'Clients/docs'].flatMap(folder => filesIn(folder).filter(source => /\.(md|svg|png)$/.test(source))
    .map(source => ({ source, page: source === 'docs/README.md' ? 'documentation.md' : source.slice(folder.length + 1).replace(/README\.md$/, 'index.md') }))),
].map(document => ({ ...document, title: document.page.endsWith('.md') ? title(markdown(document.source)) : '' }));

/** Returns the packages that have an approved public surface, with what the reference needs of each. */
function packages() {
  return ['.', 'Integrations/RabbitMQ'].flatMap(house => filesIn(house === '.' ? 'Reloaded.Messaging.Tests' : `${house}/Tests`)
    .map(path => ({ path, house }))).filter(({ path }) => /^(Integrations\/[^/]+\/)?[^/]+\/[^/]+\/PublicSurface\/[^/]+\.approved\.txt$/.test(path)).map(({ path, house }) => {
    const name = posix.basename(path, '.approved.txt');
    const folder = posix.join(house, 'Source', name), xml = `${folder}/bin/Release/net10.0/${name}.xml`;
    if (!existsSync(join(root, xml)))
      throw new Error(`${xml} does not exist. Run "dotnet build -c Release ${house === '.' ? 'Reloaded.Messaging.sln' : `${house}/${posix.basename(house)}.slnx`}" first.`);
    const [, description] = read(`${folder}/${name}.csproj`).match(/<Description>(.*)<\/Description>/);
    return { name, folder, description, surface: read(path), xml: read(xml) };
  }).sort((a, b) => a.name < b.name ? -1 : 1);
}

/**
 * Rewrites the links of a document. A link to another document leads to its page, and a link to a package's folder leads to its reference.
 * A label that is a file's name becomes the page's title. The site does not contain other files: their links become text, with the path.
 */
export function rewriteLinks(text, { source, page }, documents, references) {
  const rewrite = (all, mark, label, link) => {
    if (/^(#|\w+:)/.test(link)) return all;
    const [path, hash] = link.split(/(#.*)/);
    const file = posix.join(posix.dirname(source), path).replace(/\/$/, '');
    const found = documents.find(other => other.source === file);
    const target = found?.page ?? references[file];
    if (mark) return found ? `![${label}](${posix.relative(posix.dirname(page), target)})` : all;
    if (target) return `[${found && label.endsWith('.md') ? found.title : label}](${posix.relative(posix.dirname(page), target)}${hash ?? ''})`;
    if (!existsSync(join(root, file))) throw new Error(`${source} links to ${link}, which does not exist.`);
    if (file.endsWith(label)) return `\`${file}\``;
    return label.includes(file) ? label : `${label} (\`${file}\`)`;
  };
  return text.split(/(^```[^]*?^```)/m)
    .map((part, index) => index % 2 ? part : part.replace(/(!?)\[([^\]]+)\]\(([^)\s]+)\)/g, rewrite)).join('');
}

/**
 * Adds the anchors of statuses, reasons and faults, such as "sendstatus-full", and those of diagnostics, such as "rm2004".
 * The former are the type in the heading of a section, and the first cell of a row.
 */
export function addAnchors(text) {
  let type;
  return text.split('\n').map(line => {
    if (line.startsWith('## ')) type = line.match(/: `(\w+)`$/)?.[1];
    const diagnostic = line.match(/^### (RM\d{4}): /)?.[1];
    if (diagnostic) return `<a id="${diagnostic.toLowerCase()}"></a>\n\n${line}`;
    const name = type && line.match(/^\| `(\w+)` \|/)?.[1];
    if (!name) return line;
    const id = `${type}-${name}`.toLowerCase();
    return line.replace(`\`${name}\``, `<a id="${id}" href="#${id}">\`${name}\`</a>`);
  }).join('\n');
}

/** Returns the page of a document. */
function pageOf(document, references) {
  const text = addAnchors(rewriteLinks(markShell(markdown(document.source)), document, documents, references));
  return withDescription(text, document.source);
}

export function preparePages() {
  rmSync(pages, { recursive: true, force: true });
  mkdirSync(join(pages, 'api'), { recursive: true });
  mkdirSync(join(pages, 'public'));
  const reference = packages();
  const references = Object.fromEntries(reference.map(({ name, folder }) => [folder, `api/${pageName(name)}.md`]));

  for (const document of documents) {
    mkdirSync(dirname(join(pages, document.page)), { recursive: true });
    if (document.page.endsWith('.md')) writeFileSync(join(pages, document.page), pageOf(document, references));
    else cpSync(join(root, document.source), join(pages, document.page));
  }

  const landing = writeLanding(read('README.md'), read('docs/security.md'), read('docs/benchmarks/README.md'), repository);
  writeFileSync(join(pages, 'index.md'), rewriteLinks(landing, { source: 'README.md', page: 'index.md' }, documents, references));
  for (const image of ['Source/icon.svg', 'Source/icon.png', 'docs/mod-loader.svg'])
    copyFileSync(join(root, image), join(pages, 'public', posix.basename(image)));

  for (const { path, text } of writeReference(reference))
    writeFileSync(join(pages, 'api', path), withDescription(text, path, 2));
  const rows = reference.map(({ name, description }) => `| [${name}](${pageName(name)}.md) | ${description} |`);
  writeFileSync(join(pages, 'api/index.md'), withDescription(
    `# API reference\n\nThe public types and members of each package, for .NET 10.\n\n| package | contents |\n|---|---|\n${rows.join('\n')}\n`, 'api/index.md'));
}
