// Serves a folder of static files at a free port of the loopback address, for the tests.
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { gzipSync } from 'node:zlib';

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json', '.woff2': 'font/woff2' };

/** Returns { address, close }. A compressed answer is what a public server sends; the tests of the pages save the time for it. */
export async function serve(folder, { compressed = false } = {}) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path), extension = extname(file);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile())
      return response.writeHead(404).end();
    const headers = { 'content-type': types[extension] ?? 'application/octet-stream', 'cache-control': 'max-age=3600' };
    const content = readFileSync(file);
    if (!compressed || extension === '.woff2') return response.writeHead(200, headers).end(content);
    return response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(gzipSync(content));
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}
