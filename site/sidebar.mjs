// The order of the pages. Their titles are their first headings, up to a comma or a colon.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages, title } from './pages.mjs';

const order = {
  'Start': ['overview', 'getting-started', 'cookbook', 'documentation'],
  'Programs': ['mod-loaders', 'unity', 'unity-older-editors', 'platforms', 'game-servers'],
  'Messages and hosts': ['transports', 'shared-memory', 'contracts', 'serializers', 'hosting', 'services', 'streams', 'threading', 'errors', 'security', 'worker-services', 'observability', 'tool', 'dashboard-messages'],
  'Without a host': ['buffers', 'dispatching'],
  'Brokers and adapters': ['integration-rabbitmq', 'rabbitmq', 'rabbitmq-worker-services', 'dead-letters-tool', 'rabbitmq-architecture', 'rabbitmq-worlds', 'rabbitmq-benchmarks', 'adapters'],
  'Moving and choosing': ['from-version-2', 'comparison', 'faq'],
  'Reference': ['authoring', 'analyzers', 'wire-format', 'binary-format', 'clients', 'write-a-client', 'vectors/index', 'benchmarks/index', 'changes'],
  'Internals': ['contributing', 'testing', 'releasing', 'architecture', 'locking', 'names', 'bounds', 'ambient'].map(page => `internals/${page}`),
};

const read = page => readFileSync(join(pages, `${page}.md`), 'utf8');
const item = page => ({ text: page === 'overview' ? 'Overview' : title(read(page)), link: `/${page.replace(/(^|\/)index$/, '$1')}` });
const packages = readdirSync(join(pages, 'api')).map(file => item(`api/${file.slice(0, -'.md'.length)}`));

export const sidebar = [
  ...Object.entries(order).map(([text, names]) => ({ text, items: names.map(item) })),
  { text: 'API reference', items: packages.map(({ text, link }) => ({ text: link === '/api/' ? 'Packages' : text.replace(/^Reloaded\.Messaging\./, ''), link })) },
];
