// The description of a page, which search engines and previews of links show: whole sentences from its beginning, with 50 to 160 characters.

const shortest = 50, longest = 160;
const entities = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&#123;': '{' };

/** Returns the text of a paragraph without its markup. */
const plain = markdown => markdown
  .replace(/!\[[^\]]*\]\([^)]*\)/g, '').replace(/\[([^\]]+)\]\([^)]+\)/g, '$1').replace(/<[^>]+>/g, '').replace(/`|\*\*/g, '')
  .replace(/&(lt|gt|amp|#123);/g, entity => entities[entity]).replace(/\s+/g, ' ').trim();

/** Returns the paragraphs of prose of a document: no headings, tables, lists, quotations, comments or code. */
const paragraphs = text => text.replace(/^```[^]*?^```/gm, '').replace(/<!--[^]*?-->/g, '').split(/\n\s*\n/)
  .filter(part => part.trim() && !/^\s*(#|Namespace: |\||[-*>] |\d+\. |<\w|!\[|---)/.test(part)).map(plain).filter(part => part);

/** Returns a text that ends before a word with a mark, if it is too long. */
const cut = text => text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\s,;:(]*\s\S*$/, '')}…`;

/** Returns the description of a document. Throws if its prose is too short. */
export function describe(text, name) {
  const sentences = paragraphs(text).flatMap(part => part.split(/(?<=[.!?]) (?=[A-Z`])/));
  let result = '';
  for (const sentence of sentences) {
    const longer = result ? `${result} ${sentence}` : sentence;
    if (longer.length > longest && result.length >= shortest) break;
    result = longer;
    if (result.length > longest) break;
  }
  result = cut(result);
  if (result.length < shortest) throw new Error(`${name} has too little prose for a description of ${shortest} characters: "${result}".`);
  return result;
}

/** Returns a page with its description in front, and with the depth of its outline, if that is not the depth of the other pages. The front matter of a page is one block. */
export const withDescription = (text, name, outline) =>
  `---\ndescription: ${JSON.stringify(describe(text, name))}\n${outline ? `outline: ${outline}\n` : ''}---\n\n${text}`;
