using System.Collections.Concurrent;
using System.Linq;
using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>What was found for the symbols of a compilation. Many members have one type, and a type is read for each message that contains it.</summary>
internal sealed class CompilationCache
{
    private static readonly ConditionalWeakTable<Compilation, CompilationCache> s_all = new();

    private readonly Lazy<Converters> _converters;
    private readonly HashSet<IAssemblySymbol> _aliased;

    private CompilationCache(Compilation compilation)
    {
        _converters = new(() => Converters.Read(compilation));
        _aliased = new(
            compilation.References
                .Where(static reference => !reference.Properties.Aliases.IsDefaultOrEmpty && !reference.Properties.Aliases.Contains(MetadataReferenceProperties.GlobalAlias))
                .Select(compilation.GetAssemblyOrModuleSymbol)
                .OfType<IAssemblySymbol>(),
            SymbolEqualityComparer.Default);
    }

    public static CompilationCache Of(Compilation compilation) => s_all.GetValue(compilation, static one => new CompilationCache(one));

    /// <summary>The converters of the compiled assembly.</summary>
    public Converters Converters => _converters.Value;

    /// <summary>The forms of types to which only the converters of the assembly apply; a type that cannot be sent has the reason instead.</summary>
    public ConcurrentDictionary<ITypeSymbol, (WireType? Form, string Reason)> Forms { get; } = new(SymbolEqualityComparer.IncludeNullability);

    /// <summary>The members of types that are sent. Two closed types may differ only in the nulls of their arguments.</summary>
    public ConcurrentDictionary<INamedTypeSymbol, List<Member>> Members { get; } = new(SymbolEqualityComparer.IncludeNullability);

    /// <summary>Whether types are or contain secrets.</summary>
    public ConcurrentDictionary<INamedTypeSymbol, bool> Secrets { get; } = new(SymbolEqualityComparer.Default);

    /// <summary>The closed types of generic messages.</summary>
    public ConcurrentDictionary<string, ClosedType> Closed { get; } = new(StringComparer.Ordinal);

    /// <summary>Returns whether an assembly is referenced by an extern alias only.</summary>
    public bool IsAliased(IAssemblySymbol assembly) => _aliased.Contains(assembly);
}
