// The order of the pages. Their titles are their first headings, up to a comma or a colon.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages, title } from './pages.mjs';

const order = {
  'Start': ['overview', 'getting-started', 'hosting', 'errors', 'transports', 'security', 'contracts', 'cookbook', 'documentation'],
  'More of a host': ['threading', 'services-and-streams', 'observability', 'worker-services', 'tool', 'dashboard-messages', 'litenetlib', 'packing', 'analyzers'],
  'Games': ['mod-loaders', 'unity', 'unity-older-editors', 'game-servers'],
  'RabbitMQ': ['integration-rabbitmq', 'rabbitmq', 'rabbitmq-worker-services', 'dead-letters-tool', 'rabbitmq-format', 'rabbitmq-architecture', 'rabbitmq-worlds', 'rabbitmq-benchmarks'],
  'Choosing and moving': ['platforms', 'comparison', 'benchmarks/index', 'from-version-2', 'changes'],
  'Specifications': ['specification/wire-format', 'specification/binary-format', 'specification/schema', 'specification/shared-memory', 'clients', 'write-a-client', 'vectors/index'],
  'Internals': ['contributing', 'authoring', 'testing', 'releasing', 'architecture', 'locking', 'names', 'bounds', 'ambient'].map(page => `internals/${page}`),
};

const read = page => readFileSync(join(pages, `${page}.md`), 'utf8');
const item = page => ({ text: page === 'overview' ? 'Overview' : title(read(page)), link: `/${page.replace(/(^|\/)index$/, '$1')}` });
const packages = readdirSync(join(pages, 'api')).map(file => item(`api/${file.slice(0, -'.md'.length)}`));

export const sidebar = [
  ...Object.entries(order).map(([text, names]) => ({ text, items: names.map(item) })),
  { text: 'API reference', items: packages.map(({ text, link }) => ({ text: link === '/api/' ? 'Packages' : text.replace(/^Reloaded\.Messaging\./, ''), link })) },
];
