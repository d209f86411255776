using System.IO;
using System.Linq;
using System.Reflection;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Simulation;

/// <summary>Rewrites an assembly of the library so that it takes time, threads, random numbers and sockets from the world.</summary>
internal static class LibraryRewriter
{
    private static readonly CallReplacer s_calls = new(typeof(Replacements));

    private static readonly Dictionary<string, Type> s_types = typeof(LibraryRewriter).Assembly.GetTypes()
        .Select(static type => (Type: type, Original: type.GetCustomAttribute<StandsInForAttribute>()?.Type))
        .Where(static entry => entry.Original is not null)
        .ToDictionary(static entry => entry.Original!.FullName!, static entry => entry.Type, StringComparer.Ordinal);

    /// <summary>Returns the rewritten assembly and its symbols.</summary>
    /// <param name="path">The path of the assembly.</param>
    /// <param name="mutation">A change of one method; <c>null</c> for none.</param>
    public static (MemoryStream Library, MemoryStream Symbols) Rewrite(string path, Mutation? mutation)
    {
        using var assembly = RewrittenAssembly.Read(path, new ReaderParameters { ReadSymbols = true, InMemory = true });
        var module = assembly.MainModule;
        mutation?.Apply(module);
        foreach (var method in module.GetTypes().SelectMany(static type => type.Methods).Where(static method => method.HasBody))
        {
            foreach (var call in method.Body.Instructions)
            {
                if (call.Operand is not MethodReference called)
                    continue;
                if (!s_calls.TryReplace(module, call, called) && s_calls.HasReplacedOverload(called) && IsOfTime(called))
                    throw new NotSupportedException($"{method.FullName} calls {called.FullName}, which is not simulated. Add a method with these parameters to {nameof(Replacements)}.");
            }
        }

        foreach (var reference in module.GetTypeReferences())
        {
            if (!s_types.TryGetValue(reference.FullName, out var type))
                continue;
            var imported = module.ImportReference(type);
            (reference.Scope, reference.Namespace, reference.Name) = (imported.Scope, imported.Namespace, imported.Name);
        }

        var (library, symbols) = (new MemoryStream(), new MemoryStream());
        assembly.Write(library, new WriterParameters { SymbolStream = symbols, SymbolWriterProvider = new PortablePdbWriterProvider(), WriteSymbols = true });
        library.Position = symbols.Position = 0;
        return (library, symbols);
    }

    /// <summary>Whether an overload has a time or work: more than a token, and no clock.</summary>
    private static bool IsOfTime(MethodReference called) =>
        called.Parameters.Any(static parameter => parameter.ParameterType.FullName != "System.Threading.CancellationToken") && called.Parameters.All(static parameter => parameter.ParameterType.FullName != "System.TimeProvider");
}

/// <summary>A type that the rewritten library uses instead of a type of the framework. It has the members that the library calls.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct)]
public sealed class StandsInForAttribute(Type type) : Attribute
{
    /// <summary>The type of the framework.</summary>
    public Type Type { get; } = type;
}
