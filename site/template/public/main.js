// What the site adds to the scripts of docfx.
document.addEventListener('click', event => event.target.closest('.sr-item a')?.removeAttribute('target'), true) // a found page opens in this tab

// Code and tables that scroll sideways can be scrolled by the keyboard too, and the button of the theme is one for all readers.
function makeReachable() {
  for (const area of document.querySelectorAll('pre code, .table-responsive')) area.toggleAttribute('tabindex', area.scrollWidth > area.clientWidth) && (area.tabIndex = 0)
  for (const button of document.querySelectorAll('a.dropdown-toggle:not([href])')) Object.assign(button, { role: 'button', tabIndex: 0 })
}

export default {
  iconLinks: [{ icon: 'github', href: 'https://github.com/Reloaded-Project/Reloaded.Messaging', title: 'Repository' }],
  // The search appends its words to the address, after the anchor of a member.
  start: () => {
    if (location.hash.includes('?')) history.replaceState(null, '', location.hash.split('?')[0])
    new MutationObserver(makeReachable).observe(document.body, { childList: true, subtree: true })
    addEventListener('resize', makeReachable)
    addEventListener('toggle', makeReachable, true) // a folded table has no width
  },
  // A block without a language is what a program prints.
  configureHljs: hljs => hljs.configure({ languages: [] }),
}
