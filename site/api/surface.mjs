// Reads an approved public surface: a line for each type, and an indented line for each member.
// Each type and member gets a key that equals the key of its documentation (see docKey).

const keywords = {
  void: 'Void', object: 'Object', string: 'String', bool: 'Boolean', byte: 'Byte', sbyte: 'SByte', short: 'Int16', ushort: 'UInt16', int: 'Int32',
  uint: 'UInt32', long: 'Int64', ulong: 'UInt64', float: 'Single', double: 'Double', char: 'Char', decimal: 'Decimal', nint: 'IntPtr', nuint: 'UIntPtr',
};

/** Splits at a separator that is not inside of brackets or quotes. */
export function split(text, separator) {
  const parts = [''];
  let depth = 0, quoted = false;
  for (const letter of text) {
    if (letter === '"') quoted = !quoted;
    if (!quoted && '<([{'.includes(letter)) depth++;
    if (!quoted && '>)]}'.includes(letter)) depth--;
    if (letter === separator && depth === 0 && !quoted) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.filter(part => part.trim()).map(part => part.trim());
}

function typeKey(name, generics) {
  if (name.endsWith('?')) return `Nullable<${typeKey(name.slice(0, -1), generics)}>`;
  if (name.endsWith('[]')) return `${typeKey(name.slice(0, -2), generics)}[]`;
  const [, outer, inner] = name.match(/^([^<]*)<(.*)>$/) ?? [null, name];
  if (inner !== undefined) return `${outer.split('.').at(-1)}<${split(inner, ',').map(part => typeKey(part, generics)).join()}>`;
  return generics[name] ?? keywords[name] ?? name.split('.').at(-1);
}

/** Returns the key of an identifier such as "M:Name.Space.Type`1.Method``1(System.Int32,`0@)". */
export function docKey(id) {
  const [, kind, path, list] = id.match(/^(\w):([^(~]*)(?:\((.*)\))?/);
  const types = split((list ?? '').replaceAll('{', '<').replaceAll('}', '>'), ',');
  const parameters = types.map(type => type.endsWith('@') ? typeKey(type.slice(0, -1), {}) + '@' : typeKey(type, {}));
  return kind === 'T' ? path : `${path}(${parameters})`;
}

function parseParameters(text, generics) {
  return split(text, ',').map(parameter => {
    const [declaration, value] = parameter.split(/ = (.*)/s);
    const [, passing, type, name] = declaration.match(/^(in |out |ref )?(.*) (\w+)$/);
    return { type, name, value, declaration, key: typeKey(type, generics) + (passing ? '@' : '') };
  });
}

const genericNames = text => text ? split(text, ',') : [];

function parseMember(line, type) {
  const value = type.keyword === 'enum' && line.match(/^(-?\d+) (\w+)$/);
  if (value)
    return { kind: 'value', name: value[2], value: value[1], parameters: [], line, key: `${type.key}.${value[2]}()` };

  const property = line.match(/^(.*) (\w+)(?:\[(.*)\])? \{ .* \}$/);
  const [signature, constraints] = line.split(/ (?=where )(.*)/s);
  if (property || !signature.endsWith(')')) {
    const words = split(property ? `${property[1]} ${property[2]}` : signature.split(' = ')[0], ' ');
    const kind = property ? 'property' : words.includes('event') ? 'event' : 'field';
    const parameters = parseParameters(property?.[3] ?? '', type.generics);
    const [returns, name] = words.slice(-2);
    return { kind, name, line, parameters, returns, key: `${type.key}.${name}(${parameters.map(parameter => parameter.key)})` };
  }

  const words = split(signature, ' ');
  const [, name, own, list] = words.pop().match(/^(\.ctor|<Clone>\$|\w+)(?:<([^(]*)>)?\((.*)\)$/s);
  const names = genericNames(own);
  const generics = { ...type.generics, ...Object.fromEntries(names.map((generic, index) => [generic, '``' + index])) };
  const parameters = parseParameters(list, generics);
  const kind = name === '.ctor' ? 'constructor' : name.startsWith('op_') ? 'operator' : 'method';
  const key = `${type.key}.${name.replace('.ctor', '#ctor')}${names.length ? '``' + names.length : ''}(${parameters.map(parameter => parameter.key)})`;
  return { kind, name, line, parameters, constraints, returns: kind === 'constructor' ? undefined : words.at(-1), key };
}

function parseType(line, known) {
  const head = line.match(/^((?:(?:static|abstract|sealed|readonly|ref) )*(class|struct|interface|enum)|delegate .*?) (?=[\w.]+\.\w)/);
  const keyword = head[2] ?? 'delegate';
  const [, fullName, tail] = line.slice(head[0].length).match(/^((?:[\w.]+(?:<[^>(]*>)?)+)(.*)$/s);
  const plain = fullName.replace(/<[^>]*>/g, '');
  const parent = [...known].filter(type => plain.startsWith(type.plain + '.')).sort((a, b) => b.plain.length - a.plain.length)[0];
  const namespace = parent?.namespace ?? plain.slice(0, plain.lastIndexOf('.'));
  const names = [...fullName.matchAll(/<([^>]*)>/g)].flatMap(match => genericNames(match[1]));
  const generics = Object.fromEntries(names.map((generic, index) => [generic, '`' + index]));
  const [list, constraints] = tail.split(/ (?=where )(.*)/s);
  const type = {
    keyword, namespace, plain, generics, constraints, name: fullName.slice(namespace.length + 1), members: [],
    key: fullName.replace(/<([^>]*)>/g, (_, inner) => '`' + genericNames(inner).length),
    bases: keyword === 'delegate' ? [] : split(list.replace(/^ : /, ''), ','),
    declaration: line.replace(fullName, fullName.slice(namespace.length + 1)),
  };
  if (keyword === 'delegate') {
    type.parameters = parseParameters(list.slice(1, -1), generics);
    type.returns = head[1].slice('delegate '.length);
  }
  return type;
}

/** Returns the types of a surface with their members. */
export function parseSurface(text) {
  const types = [];
  for (const line of text.split('\n')) {
    if (line.startsWith(' ')) types.at(-1).members.push(parseMember(line.trim(), types.at(-1)));
    else if (line) types.push(parseType(line, types));
  }
  return types;
}
