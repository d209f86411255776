// Renders documentation elements as Markdown.
import { elements } from './xml.mjs';

/** Makes text safe for Markdown, for tables and for the templates of the site. */
export const escape = text => text.replace(/[\\`*_[\]|~]/g, '\\$&').replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/\{/g, '&#123;');

export const code = (text, target) => target ? `[${code(text)}](${target})` : `\`${text.replaceAll('|', '\\|')}\``;

/** Returns the short name of an identifier: "T:A.B`1" is "B", and "M:A.B.C(System.Int32)" is "B.C". */
export function shortName(id) {
  const path = id.slice(2).replace(/[(~].*$/, '').replace(/`+\d+/g, '').split('.');
  return path.slice(id.startsWith('T:') || id.startsWith('!:') ? -1 : -2).join('.').replace(/\.#ctor$/, '');
}

/** Returns the elements of a node as paragraphs of Markdown. "find" returns { name, target } for a cref. */
export function markdown(node, find) {
  const inline = child => {
    if (typeof child === 'string') return escape(child.replace(/\s+/g, ' '));
    const { attributes: { cref, langword, href, name }, children } = child;
    const inner = () => children.map(inline).join('');
    switch (child.name) {
      case 'see': case 'seealso':
        if (langword) return code(langword);
        if (href) return `[${inner() || escape(href)}](${href})`;
        return code(children.length ? children.join('') : find(cref).name, find(cref).target);
      case 'paramref': case 'typeparamref': return code(name);
      case 'c': return code(children.join(''));
      case 'b': case 'strong': return `**${inner()}**`;
      case 'i': case 'em': return `*${inner()}*`;
      case 'br': return '\n\n';
      case 'para': return `\n\n${inner()}\n\n`;
      case 'code': return `\n\n\`\`\`csharp\n${outdent(children.join(''))}\n\`\`\`\n\n`;
      case 'list': return `\n\n${elements(child, 'item').map(item => `- ${item.children.map(inline).join('').trim()}`).join('\n')}\n\n`;
      case 'item': case 'term': case 'description': return inner();
      default: throw new Error(`The documentation element <${child.name}> is not supported. Add it to site/api/text.mjs.`);
    }
  };
  const parts = node.children.map(inline).join('').split(/(\n\n```[^]*?\n```\n\n)/);
  return parts.map((part, index) => index % 2 ? part : part.replace(/ *\n\n+ */g, '\n\n')).join('').trim();
}

function outdent(text) {
  const lines = text.replace(/^\s*\n|\s+$/g, '').split('\n');
  const indent = Math.min(...lines.filter(line => line.trim()).map(line => line.match(/^ */)[0].length));
  return lines.map(line => line.slice(indent)).join('\n');
}

/** Returns the text of a node on one line, for a table or a list. */
export const line = (node, find) => node ? markdown(node, find).replace(/\s*\n\s*/g, ' ') : '';
