// A reader for the XML documentation files that the C# compiler writes: elements, attributes and text, without namespaces.

const entities = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescape(text) {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex, decimal, name) =>
    hex ? String.fromCodePoint(parseInt(hex, 16)) : decimal ? String.fromCodePoint(+decimal) : entities[name] ?? all);
}

/** Returns the root element as { name, attributes, children }. A child is an element or a string. */
export function parseXml(text) {
  const root = { name: '', attributes: {}, children: [] };
  const open = [root];
  const tag = /<(?:!--.*?--|\?.*?\?|!\[CDATA\[(.*?)\]\]|(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?))>/gs;
  let end = 0;
  const addText = raw => raw && open.at(-1).children.push(raw);

  for (const match of text.matchAll(tag)) {
    const [all, data, closing, name, attributes, empty] = match;
    addText(unescape(text.slice(end, match.index)));
    end = match.index + all.length;
    if (data !== undefined) {
      addText(data);
    } else if (closing) {
      const closed = open.pop();
      if (closed.name !== name)
        throw new Error(`</${name}> at offset ${match.index} closes <${closed.name}>.`);
    } else if (name) {
      const element = { name, attributes: {}, children: [] };
      for (const [, key, double, single] of attributes.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
        element.attributes[key] = unescape(double ?? single);
      open.at(-1).children.push(element);
      if (!empty)
        open.push(element);
    }
  }

  if (open.length !== 1)
    throw new Error(`<${open.at(-1).name}> is not closed.`);
  return root;
}

/** Returns the child elements, of one name if it is given. */
export function elements(node, name) {
  return node.children.filter(child => typeof child !== 'string' && (!name || child.name === name));
}
