// What the site adds to the scripts of docfx.
document.addEventListener('click', event => event.target.closest('.sr-item a')?.removeAttribute('target'), true) // a found page opens in this tab

export default {
  iconLinks: [{ icon: 'github', href: 'https://github.com/Reloaded-Project/Reloaded.Messaging', title: 'Repository' }],
  // The search appends its words to the address, after the anchor of a member.
  start: () => location.hash.includes('?') && history.replaceState(null, '', location.hash.split('?')[0]),
  // A block without a language is what a program prints.
  configureHljs: hljs => hljs.configure({ languages: [] }),
}
