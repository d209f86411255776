import { defineConfig } from 'vitepress';
import { sidebar } from '../sidebar.mjs';

// The anchors that repository hosts give to headings, since the links between the documents use them.
const slugify = heading => heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');

const icon = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='#3451b2'/>" +
  "<path d='M6 10h20v12H6zM6 10l10 8 10-8' fill='none' stroke='#fff' stroke-width='2.4' stroke-linejoin='round'/></svg>";

export default defineConfig({
  title: 'Reloaded.Messaging',
  description: 'Typed messages between .NET programs.',
  lang: 'en',
  srcDir: 'pages',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  markdown: { anchor: { slugify }, toc: { slugify }, headers: { slugify } },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'API reference', link: '/api/' },
    ],
    sidebar,
    outline: [2, 3],
  },
});
