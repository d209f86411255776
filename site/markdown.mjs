// How Markdown becomes HTML: what the site adds to VitePress.

/**
 * Highlights a block of code once. VitePress asks three times: for the browser, for the server and for the search.
 */
export function highlightOnce(md) {
  const { highlight } = md.options, done = new Map();
  md.options.highlight = (...block) => {
    const key = JSON.stringify(block);
    if (!done.has(key)) done.set(key, highlight(...block));
    return done.get(key);
  };
}

/**
 * Marks inline code that must stay in one line: the class "whole" if it fits into a line of a phone, "word" if it has no space, and otherwise
 * a span for each word that a browser may break, such as "--filter". A table scrolls rather than breaking a word.
 */
export function keepWhole(md) {
  const write = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (tokens, index, ...rest) => {
    const { content } = tokens[index], isWord = !/\s/.test(content), isWhole = content.length <= (isWord ? 36 : 24);
    if (isWord) tokens[index].attrJoin('class', 'word');
    if (isWhole) tokens[index].attrJoin('class', 'whole');
    const html = write(tokens, index, ...rest);
    return isWord || isWhole ? html : html.replace(/>([^<]*)</, (_, text) => `>${text.replace(/\S*[^\w.\s]\S*/g, '<span>$&</span>')}<`);
  };
}

const command = /^(#|\$ |(dotnet|npm|npx|node|python3|pip|git|cd|curl|sudo|docker|export|reloaded-messaging|cat|gcc|make|\.ci\/\w+|Clients\/\w+)\b)/;

/** Marks the blocks of code without a language that begin with a command as shell, so that they are highlighted. */
export const markShell = text => text.replace(/^( *)```(.*)\n([^]*?)^\1```$/gm,
  (block, indent, language, code) => !language && command.test(code.trimStart()) ? `${indent}\`\`\`sh\n${code}${indent}\`\`\`` : block);
