// The built site, for its tests: the files, and a server for them.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
export const output = join(root, 'artifacts/site');
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json' };

export const read = path => readFileSync(join(output, path), 'utf8');

/** The paths of all pages, without the one for addresses that have none. */
export const pages = () => readdirSync(output, { recursive: true }).filter(path => /\.html$/.test(path) && !/(toc|404)\.html$/.test(path)).sort();

/** The links in a part of a page: their texts and addresses. */
export const links = html => [...html.matchAll(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].map(([, href, text]) => ({ href, text: text.replace(/<[^>]*>/g, '').trim() }));

/** Serves the site at a free port of this machine. */
export async function serve() {
  const server = createServer((request, response) => {
    const path = join(output, decodeURIComponent(new URL(request.url, 'http://localhost').pathname).replace(/\/$/, '/index.html'));
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404, { 'content-type': 'text/html' }).end(read('404.html'));
    response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream', 'cache-control': 'max-age=3600' }).end(readFileSync(path));
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
