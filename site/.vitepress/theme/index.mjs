import { useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import './style.css';

/** The line that installs the package, below the buttons of the first page. */
function InstallLine() {
  const { install } = useData().frontmatter.value;
  return install && h('p', { class: 'install' }, h('code', install));
}

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'home-hero-actions-after': () => h(InstallLine) }),
};
