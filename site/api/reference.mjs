// Writes the API reference: a page for each package, from its approved public surface and from the XML file of its build.
import { docKey, parseSurface, split } from './surface.mjs';
import { code, escape, line, markdown, shortName } from './text.mjs';
import { elements, parseXml } from './xml.mjs';

const kinds = ['constructor', 'property', 'method', 'operator', 'event', 'field'];
// The compiler adds these to records. They have no documentation.
const generated = ['Equals', 'GetHashCode', 'ToString', 'Deconstruct', '<Clone>$', 'op_Equality', 'op_Inequality'];
const operators = { op_Equality: '==', op_Inequality: '!=', op_LessThan: '<', op_GreaterThan: '>', op_Implicit: 'implicit', op_Explicit: 'explicit' };

export const pageName = name => name.toLowerCase().replaceAll('.', '-');
const slug = text => text.toLowerCase().replace(/[^\w.]+/g, '-').replaceAll('.', '-').replace(/-+$/, '');
const typeAnchor = type => slug(type.key.slice(type.namespace.length + 1).replace(/`/g, '-'));
const anchor = (type, member) => member.kind === 'value' ? typeAnchor(type) : `${typeAnchor(type)}-${slug(member.name.replace('.ctor', 'ctor'))}`;

function readDocs(xml) {
  const members = elements(elements(parseXml(xml), 'doc')[0], 'members')[0];
  return new Map(elements(members, 'member').map(member => [docKey(member.attributes.name), member]));
}

/** Takes packages as { name, description, surface, xml }. Returns pages as { path, name, text }. */
export function writeReference(packages) {
  const docs = new Map(), targets = new Map(), types = [];
  for (const { name, surface, xml } of packages) {
    for (const [key, doc] of readDocs(xml)) docs.set(key, doc);
    for (const type of parseSurface(surface).filter(type => !/\.(CompilerServices|Generated)$/.test(type.namespace))) {
      types.push(Object.assign(type, { package: name }));
      targets.set(type.key, { name: type.name, target: `./${pageName(name)}.md#${typeAnchor(type)}` });
      type.members = type.members.filter(member => docs.has(member.key) ||
        !(generated.includes(member.name) || (member.kind === 'constructor' && member.parameters.length === 0)));
      for (const member of type.members)
        targets.set(member.key, { name: shortName(`M:${member.key}`), target: `./${pageName(name)}.md#${anchor(type, member)}` });
    }
  }

  const missing = types.flatMap(type => [type, ...type.members]).filter(item => !docs.has(item.key)).map(item => item.key);
  if (missing.length)
    throw new Error(`${missing.length} public types or members have no documentation. Build the projects in Source again. Missing: ${missing.slice(0, 5).join(', ')}`);

  const writer = new Writer(docs, targets, types);
  return packages.map(({ name, description }) => ({
    name, path: `${pageName(name)}.md`, text: writer.page(name, description, types.filter(type => type.package === name)),
  }));
}

class Writer {
  constructor(docs, targets, types) {
    Object.assign(this, { docs, targets, types });
    this.find = id => this.targets.get(docKey(id)) ?? { name: shortName(id) };
    this.enums = new Map(types.filter(type => type.keyword === 'enum').map(type => [type.name, type]));
  }

  page(name, description, types) {
    const rows = types.map(type => `| [${code(type.name)}](#${typeAnchor(type)}) | ${line(this.part(type, type, 'summary'), this.find)} |`);
    return [`# ${name}`, escape(description), `| type | summary |\n|---|---|\n${rows.join('\n')}`,
      ...types.map(type => this.type(type))].join('\n\n') + '\n';
  }

  type(type) {
    const anchorText = `## ${escape(type.name)} {#${typeAnchor(type)}}`;
    const values = type.members.filter(member => member.kind === 'value');
    const table = values.map(value => `| ${code(value.name)} | ${value.value} | ${line(this.part(value, type, 'summary'), this.find)} |`);
    const groups = new Map();
    for (const kind of kinds) {
      for (const member of type.members.filter(member => member.kind === kind).sort((a, b) => a.name.localeCompare(b.name, 'en')))
        groups.set(member.name, [...groups.get(member.name) ?? [], member]);
    }

    return [anchorText, `Namespace: ${code(type.namespace)}`, this.signature(`public ${type.declaration}`), this.body(type, type),
      table.length ? `| value | number | meaning |\n|---|---:|---|\n${table.join('\n')}` : '',
      ...[...groups.values()].map(members => this.members(type, members))].filter(Boolean).join('\n\n');
  }

  members(type, members) {
    const [{ name, kind }] = members;
    const plain = type.name.replace(/<.*?>/g, '');
    const title = kind === 'constructor' ? `new ${plain}` : operators[name] ? `operator ${operators[name]}` : name;
    const texts = members.map(member => `${this.signature(this.declare(member, plain.split('.').at(-1)))}\n\n${this.body(member, type)}`);
    return [`### ${escape(title)} {#${anchor(type, members[0])}}`, ...texts].join('\n\n');
  }

  /** Returns the C# declaration of a member, with the names of default values of enums. */
  declare(member, typeName) {
    let text = member.line.replace('.ctor(', `${typeName}(`).replace(/\bop_\w+/, name => `operator ${operators[name] ?? name}`);
    for (const { type, declaration, value } of member.parameters) {
      const named = this.enums.get(type)?.members.find(item => item.value === value);
      if (named) text = text.replace(`${declaration} = ${value}`, `${declaration} = ${type}.${named.name}`);
    }
    return text;
  }

  signature(text) {
    const [, head, list, tail] = text.length > 90 && text.match(/^(.*?\()(.*)(\)[^)]*)$/s) || [];
    const parameters = split(list ?? '', ',');
    const wrapped = parameters.length > 1 ? `${head}\n    ${parameters.join(',\n    ')}${tail}` : text;
    return `\`\`\`csharp\n${wrapped.replace(/ where /g, '\n    where ')}\n\`\`\``;
  }

  /** Returns the documentation of an item. Elements that it lacks come from <inheritdoc>, which is followed through cref, or to the base type that declares the same member. */
  doc(item, type) {
    return this.complete(this.docs.get(item.key), () => this.declared(item, type));
  }

  /** Adds the elements that a documentation inherits, each unless it has an element of the same name for the same parameter or exception. */
  complete(own, findDeclared) {
    const inherit = own && elements(own, 'inheritdoc')[0];
    if (!inherit) return own;
    const { cref, path } = inherit.attributes;
    const found = cref ? this.complete(this.docs.get(docKey(cref)), () => undefined) : findDeclared();
    const kept = own.children.filter(child => child !== inherit);
    if (!found) return elements(own).length > 1 ? { ...own, children: kept } : undefined;
    const [, only, except] = path?.match(/^\/(\w+)(?:\[@name!='(\w+)'\])?$/) ?? [];
    const target = element => [element.name, element.attributes.name, element.attributes.cref].join();
    const has = new Set(elements(own).map(target));
    return { ...own, children: [...kept, ...elements(found).filter(element =>
      !has.has(target(element)) && (!only || element.name === only) && (!except || element.attributes.name !== except))] };
  }

  /** Returns the documentation of the member that a member overrides or implements. */
  declared(item, type) {
    const plain = name => name.replace(/<.*/, '');
    for (const base of type.bases.flatMap(name => this.types.filter(other => plain(other.name) === plain(name)))) {
      const member = base.members.find(other => other.name === item.name && other.parameters.length === item.parameters?.length &&
        other.parameters.every((parameter, index) => parameter.type in base.generics || plain(parameter.type) === plain(item.parameters[index].type)));
      const doc = member ? this.doc(member, base) : this.declared(item, base);
      if (doc) return doc;
    }
  }

  part(item, type, name) {
    const doc = this.doc(item, type);
    return doc && elements(doc, name)[0];
  }

  linked(text) {
    const known = text && this.types.find(type => type.name.replace(/<.*/, '') === text.replace(/[<?[].*/, ''));
    return known ? ` (${code(text, this.targets.get(known.key).target)})` : '';
  }

  body(item, type) {
    const doc = this.doc(item, type);
    if (!doc)
      return item.bases ? '' : `Implements or overrides a member of ${[...type.bases, 'object'].filter(base => !this.linked(base)).map(base => code(base)).join(' or ')}.`;

    const own = ({ attributes }) => !item.parameters || item.parameters.some(({ name }) => name === attributes.name);
    const list = (name, row) => elements(doc, name).filter(part => name !== 'param' || own(part)).map(row).join('\n');
    const texts = name => elements(doc, name).map(part => markdown(part, this.find)).filter(Boolean);
    const returns = texts('returns').map(text => `Returns${this.linked(item.returns)}: ${text}`);
    return [
      ...texts('summary'),
      list('typeparam', part => `- ${code(part.attributes.name)}: ${line(part, this.find)}`),
      list('param', part => {
        const parameter = item.parameters?.find(({ name }) => name === part.attributes.name);
        return `- ${code(part.attributes.name)}${this.linked(parameter?.type)}: ${line(part, this.find)}`;
      }),
      ...returns,
      ...texts('value'),
      list('exception', part => `- Throws ${code(this.find(part.attributes.cref).name, this.find(part.attributes.cref).target)}: ${line(part, this.find)}`),
      ...texts('remarks'), ...texts('example'),
    ].filter(Boolean).join('\n\n');
  }
}
