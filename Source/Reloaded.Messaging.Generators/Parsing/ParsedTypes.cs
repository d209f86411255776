using System.Collections.Concurrent;
using System.Linq;
using System.Runtime.CompilerServices;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>What was read from the types of a project. An editor compiles after each key, and most keys change no declaration: the next compilation then uses the same object.</summary>
/// <remarks>Contains no symbols, which would keep their compilation in memory.</remarks>
internal sealed class ParsedTypes
{
    private static readonly ConditionalWeakTable<Compilation, ParsedTypes> s_all = new();
    private static readonly ConditionalWeakTable<CompilationOptions, StrongBox<ParsedTypes?>> s_last = new(); // a project keeps its options while its files are edited

    private readonly ConcurrentDictionary<(Type Model, string Name), object?> _models = new();
    private readonly MetadataReference[] _references;
    private readonly ulong _declarations;

    private ParsedTypes(MetadataReference[] references, ulong declarations) => (_references, _declarations) = (references, declarations);

    /// <summary>Returns the object of a compilation: that of the compilation before it in the same project, unless a declaration or a reference differs.</summary>
    public static ParsedTypes Of(Compilation compilation) => s_all.GetValue(compilation, static one =>
    {
        var last = s_last.GetValue(one.Options, static _ => new(null));
        var (references, declarations) = (one.References.ToArray(), DeclarationHash.Of(one));
        if (last.Value is { } known && known._declarations == declarations && known._references.SequenceEqual(references))
            return known;
        return last.Value = new ParsedTypes(references, declarations);
    });

    /// <summary>Returns the model of a type. Reads it if no compilation with the same declarations has read it.</summary>
    public TModel? GetOrRead<TModel>(INamedTypeSymbol type, Func<TModel?> read)
        where TModel : class
    {
        var key = (typeof(TModel), Names.Full(type));
        if (!_models.TryGetValue(key, out var model))
            _models[key] = model = read();
        return (TModel?)model;
    }
}
