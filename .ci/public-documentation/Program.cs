using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using System.Xml.Linq;

// Removes the members that no user sees from the XML documentation beside assemblies: types that are not public, and members whose name no public member of the type has.
// What a public member inherits its documentation from stays.
foreach (var path in args)
{
    var file = Path.ChangeExtension(path, ".xml");
    var document = XDocument.Load(file, LoadOptions.PreserveWhitespace);
    var visible = ReadVisible(path);
    var members = document.Descendants("member").ToDictionary(static member => (string)member.Attribute("name")!, StringComparer.Ordinal);
    var kept = new HashSet<string>(StringComparer.Ordinal);
    var open = new Stack<string>(members.Keys.Where(id => IsVisible(id, visible)));
    while (open.TryPop(out var id))
    {
        if (kept.Add(id) && members.TryGetValue(id, out var member))
            member.Descendants("inheritdoc").Attributes("cref").ToList().ForEach(cref => open.Push(cref.Value));
    }

    foreach (var (id, member) in members)
    {
        if (kept.Contains(id))
            continue;
        if (member.PreviousNode is XText space)
            space.Remove();
        member.Remove();
    }

    document.Save(file, SaveOptions.DisableFormatting);
}

// The id of a type has a "+" or "." between nested types; "." here, as in the documentation.
static Dictionary<string, HashSet<string>> ReadVisible(string path)
{
    var found = new Dictionary<string, HashSet<string>>(StringComparer.Ordinal);
    using var assembly = new PEReader(File.OpenRead(path));
    var metadata = assembly.GetMetadataReader();
    foreach (var handle in metadata.TypeDefinitions)
    {
        if (NameOfVisible(metadata, handle) is not { } name)
            continue;
        var type = metadata.GetTypeDefinition(handle);
        var methods = type.GetMethods().Where(method => IsVisibleMethod(metadata.GetMethodDefinition(method).Attributes)).ToHashSet();
        var names = methods.Select(method => metadata.GetMethodDefinition(method).Name)
            .Concat(type.GetFields().Select(metadata.GetFieldDefinition).Where(static field => IsVisibleField(field.Attributes)).Select(static field => field.Name))
            .Concat(type.GetProperties().Select(metadata.GetPropertyDefinition).Where(one => methods.Contains(one.GetAccessors().Getter) || methods.Contains(one.GetAccessors().Setter)).Select(static one => one.Name))
            .Concat(type.GetEvents().Select(metadata.GetEventDefinition).Where(one => methods.Contains(one.GetAccessors().Adder)).Select(static one => one.Name));
        found.Add(name, [.. names.Select(metadata.GetString).Select(static one => one.Replace('.', '#'))]);
    }

    return found;
}

static string? NameOfVisible(MetadataReader metadata, TypeDefinitionHandle handle)
{
    var type = metadata.GetTypeDefinition(handle);
    var name = metadata.GetString(type.Name);
    return (type.Attributes & TypeAttributes.VisibilityMask) switch
    {
        TypeAttributes.Public => type.Namespace.IsNil ? name : $"{metadata.GetString(type.Namespace)}.{name}",
        TypeAttributes.NestedPublic or TypeAttributes.NestedFamily or TypeAttributes.NestedFamORAssem => NameOfVisible(metadata, type.GetDeclaringType()) is { } outer ? $"{outer}.{name}" : null,
        _ => null,
    };
}

static bool IsVisibleMethod(MethodAttributes attributes) => (attributes & MethodAttributes.MemberAccessMask) is MethodAttributes.Public or MethodAttributes.Family or MethodAttributes.FamORAssem;

static bool IsVisibleField(FieldAttributes attributes) => (attributes & FieldAttributes.FieldAccessMask) is FieldAttributes.Public or FieldAttributes.Family or FieldAttributes.FamORAssem;

// An id such as M:Namespace.Type`1.Method``1(System.Int32).
static bool IsVisible(string id, Dictionary<string, HashSet<string>> visible)
{
    var name = id[2..];
    if (name.IndexOf('(', StringComparison.Ordinal) is > 0 and var parameters)
        name = name[..parameters];
    if (id[0] == 'T')
        return visible.ContainsKey(name);
    if (name.IndexOf("``", StringComparison.Ordinal) is > 0 and var arity)
        name = name[..arity];
    if (name.IndexOf('~', StringComparison.Ordinal) is > 0 and var result)
        name = name[..result];
    var dot = name.LastIndexOf('.');
    return visible.TryGetValue(name[..dot], out var members) && members.Contains(name[(dot + 1)..]);
}
