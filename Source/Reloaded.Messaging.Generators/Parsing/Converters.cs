using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The converters that apply to a member: its own, and those of the assembly.</summary>
internal sealed class Converters
{
    private readonly IReadOnlyList<Converter> _items;

    private Converters(IReadOnlyList<Converter> items) => _items = items;

    /// <summary>The valid converters of the compiled assembly.</summary>
    public static Converters Read(Compilation compilation) => new(ReadAll(compilation.Assembly.GetAttributes(), compilation, []));

    /// <summary>The valid converters of a member or a parameter with certain attributes, before those of the assembly.</summary>
    public static Converters Of(IEnumerable<AttributeData> attributes, Compilation compilation)
    {
        var (own, all) = (ReadAll(attributes, compilation, []), CompilationCache.Of(compilation).Converters);
        return own.Count == 0 ? all : new Converters([.. own, .. all._items]);
    }

    /// <summary>The attributes of a member, and of the parameter from which a positional record creates the member.</summary>
    public static IReadOnlyList<AttributeData> AttributesOf(Member member) =>
        MemberReader.FindParameter(member) is { } parameter ? member.Symbol.GetAttributes().AddRange(parameter.GetAttributes()) : member.Symbol.GetAttributes();

    /// <summary>Returns the names of the converters of a member or a parameter that are not valid or not used, each with the reason.</summary>
    /// <param name="attributes">The attributes of the member.</param>
    /// <param name="name">The name of the member.</param>
    /// <param name="declared">The type of the member.</param>
    /// <param name="type">Its form; <c>null</c> if it cannot be sent.</param>
    /// <param name="compilation">The compilation.</param>
    public static List<(string Name, string Reason)> FindFaults(IEnumerable<AttributeData> attributes, string name, ITypeSymbol declared, WireType? type, Compilation compilation)
    {
        var invalid = new List<(AttributeData Attribute, string Name, string Reason)>();
        var groups = ReadAll(attributes, compilation, invalid).GroupBy(static one => Names.Qualified(one.Class)).ToList();
        var faults = invalid.ConvertAll(static fault => (fault.Name, fault.Reason));
        foreach (var one in groups)
        {
            if (type?.Uses(one.Key) == false)
                faults.Add((Converter.Show(one.First().Class), $"'{name}' has the type {declared.ToDisplayString()}, which does not contain {string.Join(" or ", one.Select(static pair => Converter.Show(pair.Type)))}"));
        }

        return faults;
    }

    /// <summary>Reads the attributes with converters. <paramref name="faults"/> receives the names of the converters that are not valid, each with the reason.</summary>
    public static List<Converter> ReadAll(IEnumerable<AttributeData> attributes, Compilation compilation, List<(AttributeData Attribute, string Name, string Reason)> faults)
    {
        var found = new List<Converter>();
        foreach (var attribute in attributes.Where(IsOne))
        {
            if (attribute.ConstructorArguments.FirstOrDefault() is not { Kind: TypedConstantKind.Type, Value: var argument })
                continue; // the compiler reports it
            var reasons = new List<string>();
            var type = argument as ITypeSymbol;
            foreach (var one in Converter.Read(type, compilation, reasons))
            {
                if (found.Exists(other => SymbolEqualityComparer.Default.Equals(other.Type, one.Type)))
                    reasons.Add($"another converter converts {Converter.Show(one.Type)} as well");
                else
                    found.Add(one);
            }

            faults.AddRange(reasons.Select(reason => (attribute, type is null ? "null" : Converter.Show(type), reason)));
        }

        return found;
    }

    /// <summary>Returns whether a field of a struct has converters, on itself, on its property or on the parameter of a record.</summary>
    public static bool AreOn(IFieldSymbol field) => AttributesOf(new Member(field.AssociatedSymbol ?? field, field.Type, false, false)).Any(IsOne);

    public static bool IsOne(AttributeData attribute) => attribute.AttributeClass?.Name == "MessageConverterAttribute" && attribute.AttributeClass.ToDisplayString() == Names.Converter;

    /// <summary>The converter of a type; <c>null</c> if it is sent as it is.</summary>
    public Converter? Find(ITypeSymbol type) => _items.Count == 0 ? null : _items.FirstOrDefault(one => SymbolEqualityComparer.Default.Equals(one.Type, type));

    /// <summary>The converters that apply inside a surrogate: all others.</summary>
    public Converters Without(Converter converter) => new(_items.Where(one => one != converter).ToList());
}
