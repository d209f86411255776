import { defineConfig } from 'vitepress';
import { highlightOnce, keepWhole } from '../markdown.mjs';
import { repository, version } from '../pages.mjs';
import { sidebar } from '../sidebar.mjs';

// The anchors that repository hosts give to headings, since the links between the documents use them.
const slugify = heading => heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');

// Previews of links need whole addresses. SITE_ADDRESS is the address at which the site is published, such as https://example.com.
const address = process.env.SITE_ADDRESS?.replace(/\/$/, '');

export default defineConfig({
  title: 'Reloaded.Messaging',
  lang: 'en',
  srcDir: 'pages',
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }],
    ['meta', { name: 'theme-color', content: '#1f3a5f' }],
  ],
  transformHead: ({ page, title, description }) => Object.entries({
    'og:type': 'website',
    'og:site_name': 'Reloaded.Messaging',
    'og:title': title,
    'og:description': description,
    ...address && { 'og:url': `${address}/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '.html')}`, 'og:image': `${address}/icon.png` },
  }).map(([property, content]) => ['meta', { property, content }]),
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-default' }, // the default colors of comments and keywords have too little contrast
    anchor: { slugify }, toc: { slugify }, headers: { slugify },
    config(md) {
      highlightOnce(md);
      keepWhole(md);
    },
  },
  vite: { build: { chunkSizeWarningLimit: 2000 } }, // the reference of a package is one page
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    search: {
      provider: 'local',
      // A page explains more than a member of the reference does.
      options: { miniSearch: { searchOptions: { boostDocument: id => id.startsWith('/api/') ? 0.05 : 1 } } },
    },
    nav: [
      { text: 'Getting started', link: '/getting-started' },
      { text: 'Cookbook', link: '/cookbook' },
      { text: 'API reference', link: '/api/' },
      { text: version, link: `/changes#${slugify(version)}` },
    ],
    socialLinks: [{ icon: 'github', link: repository }],
    sidebar,
    outline: [2, 3],
  },
});
