// Prepares the pages and builds the site into site/.vitepress/dist.
import { build } from 'vitepress';
import { fileURLToPath } from 'node:url';
import { preparePages } from './pages.mjs';

preparePages();
await build(fileURLToPath(new URL('.', import.meta.url)));
