import { useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import './style.css';

/** The first command, below the buttons of the first page. On a phone it breaks, but only between words. */
function InstallLine() {
  const { install } = useData().frontmatter.value;
  return install && h('p', { class: 'install' }, h('code', install.split(' ').flatMap((word, index) => [index ? ' ' : '', h('span', word)])));
}

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'home-hero-actions-after': () => h(InstallLine) }),
};
