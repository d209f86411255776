// Writes the page of an AsyncAPI document: its requests and events, the fields of its messages, and the document itself.

const last = text => text.replace(/.*[./]/, '');
const link = text => `[${last(text)}](#${last(text).toLowerCase()})`;

/** Returns the type of a value, as a link if it is a message. */
function typeOf(schema) {
  if (schema.$ref) return link(schema.$ref);
  if (schema.items) return `array of ${typeOf(schema.items)}`;
  if (schema.enum) return schema.enum.map(value => `\`${value}\``).join(' or ');
  const types = [schema.type ?? schema.anyOf?.map(typeOf) ?? 'any'].flat().join(' or ');
  return schema.format ? `${types} (${schema.format})` : types;
}

/** Returns the Markdown of a document. The JSON Schemas in it have no unions and no dictionaries. */
export function writeAsyncApi(text) {
  const { info, operations, components } = JSON.parse(text);
  const rows = Object.entries(operations).map(([name, { action, reply }]) =>
    `| ${link(name)} | ${action === 'receive' ? 'request' : 'event'} | ${reply ? reply.messages.map(one => link(one.$ref)).join(', ') : ''} | ${components.messages[name].summary ?? ''} |`);
  const messages = Object.entries(components.schemas).map(([name, { description, properties = {} }]) => {
    const fields = Object.entries(properties).map(([field, schema]) => `| \`${field}\` | ${typeOf(schema)} |`);
    return `### ${last(name)}\n\n${description ?? ''}\n\n${fields.length ? `| field | type |\n|---|---|\n${fields.join('\n')}` : 'It has no fields.'}\n`;
  });
  return `# Messages of ${info.title}

This is the [AsyncAPI](https://www.asyncapi.com) document of \`Clients/Dashboard\`, as \`reloaded-messaging export --to asyncapi\` writes it.

| message | kind | reply | meaning |
|---|---|---|---|
${rows.join('\n')}

## Fields

${messages.join('\n')}
## Document

\`\`\`json
${text.trim()}
\`\`\`
`;
}
