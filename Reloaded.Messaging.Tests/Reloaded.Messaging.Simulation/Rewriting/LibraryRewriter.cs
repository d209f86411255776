using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using Mono.Cecil;
using Mono.Cecil.Cil;

namespace Reloaded.Messaging.Simulation;

/// <summary>Rewrites an assembly of the library so that it takes time, threads, random numbers and sockets from the world.</summary>
internal static class LibraryRewriter
{
    private static readonly Dictionary<string, MethodInfo> s_methods = typeof(LibraryRewriter).Assembly.GetTypes()
        .SelectMany(static type => type.GetMethods(BindingFlags.Public | BindingFlags.Static))
        .Select(static method => (Method: method, Replaced: method.GetCustomAttribute<ReplacesAttribute>()))
        .Where(static entry => entry.Replaced is not null)
        .ToDictionary(static entry => KeyOf(entry.Method, entry.Replaced!), static entry => entry.Method, StringComparer.Ordinal);

    /// <summary>The names of the replaced methods, of which each overload has to be replaced.</summary>
    private static readonly HashSet<string> s_replaced = [.. s_methods.Keys.Select(static key => key[..key.IndexOf('(', StringComparison.Ordinal)])];

    private static readonly Dictionary<string, Type> s_types = typeof(LibraryRewriter).Assembly.GetTypes()
        .Select(static type => (Type: type, Original: type.GetCustomAttribute<StandsInForAttribute>()?.Type))
        .Where(static entry => entry.Original is not null)
        .ToDictionary(static entry => entry.Original!.FullName!, static entry => entry.Type, StringComparer.Ordinal);

    /// <summary>Returns the rewritten assembly and its symbols.</summary>
    /// <param name="path">The path of the assembly.</param>
    /// <param name="mutation">A change of one method; <c>null</c> for none.</param>
    public static (MemoryStream Library, MemoryStream Symbols) Rewrite(string path, Mutation? mutation)
    {
        using var assembly = AssemblyDefinition.ReadAssembly(path, new ReaderParameters { ReadSymbols = true, InMemory = true });
        var module = assembly.MainModule;
        mutation?.Apply(module);
        foreach (var method in module.GetTypes().SelectMany(static type => type.Methods).Where(static method => method.HasBody))
        {
            foreach (var call in method.Body.Instructions)
            {
                if (call.Operand is not MethodReference called)
                    continue;
                if (s_methods.TryGetValue(KeyOf(called), out var replacement))
                    (call.OpCode, call.Operand) = (call.OpCode.Code == Code.Ldftn ? OpCodes.Ldftn : OpCodes.Call, Import(module, replacement, called));
                else if (s_replaced.Contains($"{called.DeclaringType.FullName}::{called.Name}") && IsOfTime(called))
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

    /// <summary>The reference to a replacement, with the type arguments of the replaced method: those of its type, and then its own.</summary>
    private static MethodReference Import(ModuleDefinition module, MethodInfo replacement, MethodReference called)
    {
        var imported = module.ImportReference(replacement);
        if (!replacement.IsGenericMethodDefinition)
            return imported;
        var generic = new GenericInstanceMethod(imported);
        foreach (var argument in (called.DeclaringType as GenericInstanceType)?.GenericArguments ?? [])
            generic.GenericArguments.Add(argument);
        foreach (var argument in (called as GenericInstanceMethod)?.GenericArguments ?? [])
            generic.GenericArguments.Add(argument);
        return generic;
    }

    private static string KeyOf(MethodReference called)
    {
        var method = called.GetElementMethod();
        var type = called.DeclaringType.GetElementType().FullName;
        return $"{type}::{method.Name}({string.Join(",", method.Parameters.Select(parameter => NameOf(parameter.ParameterType)))})";
    }

    private static string KeyOf(MethodInfo replacement, ReplacesAttribute replaced)
    {
        var parameters = replacement.GetParameters().Select(static parameter => parameter.ParameterType).ToList();
        return $"{replaced.Type}::{replaced.Method}({string.Join(",", parameters.Skip(replaced.IsStatic ? 0 : 1).Select(NameOf))})";
    }

    // Both forms of the name of a type: generic parameters have no name, because references and definitions name them differently.
    private static string NameOf(TypeReference type) => type switch
    {
        GenericParameter => "!",
        GenericInstanceType generic => $"{generic.ElementType.FullName}<{string.Join(",", generic.GenericArguments.Select(NameOf))}>",
        TypeSpecification { IsByReference: true } reference => NameOf(reference.ElementType) + "&",
        _ => type.FullName,
    };

    private static string NameOf(Type type)
    {
        if (type.IsGenericParameter)
            return "!";
        if (type.IsByRef)
            return NameOf(type.GetElementType()!) + "&";
        return type.IsGenericType ? $"{type.GetGenericTypeDefinition().FullName}<{string.Join(",", type.GetGenericArguments().Select(NameOf))}>" : type.FullName!;
    }
}
