using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Runs code of a test with a copy of the library that reports its calls to <see cref="CallTrail"/> and its locks, with their names, to <see cref="HeldLocks"/>.</summary>
/// <remarks>
/// The test assembly is loaded once more beside the copy, so that a scenario is an ordinary method. The statics of the scenario are those of that second assembly.
/// A test can use the copy on one side of a connection, and the library as it is on the other side.
/// </remarks>
public static class InstrumentedLibrary
{
    private static readonly ConcurrentDictionary<string, byte[]> s_rewritten = new(StringComparer.Ordinal);
    private static readonly CallReplacer s_locks = new(typeof(HeldLocks));

    /// <summary>Runs a scenario.</summary>
    /// <param name="scenario">A public static method of a test class that returns a <see cref="Task{TResult}"/> of a type of the framework.</param>
    /// <param name="arguments">The arguments, of types of the framework.</param>
    public static Task<T> RunAsync<T>(MethodInfo scenario, params object[] arguments)
    {
        var type = scenario.DeclaringType!;
        var copy = new Context().LoadFromAssemblyPath(type.Assembly.Location);
        return (Task<T>)copy.GetType(type.FullName!)!.GetMethod(scenario.Name)!.Invoke(null, arguments)!;
    }

    private static byte[] Rewrite(string path)
    {
        using var assembly = RewrittenAssembly.Read(path, new ReaderParameters { ReadSymbols = true });
        var module = assembly.MainModule;
        var enter = module.ImportReference(typeof(CallTrail).GetMethod(nameof(CallTrail.Enter)));
        var name = module.ImportReference(typeof(HeldLocks).GetMethod(nameof(HeldLocks.Name)));
        foreach (var method in module.GetTypes().SelectMany(static type => type.Methods).Where(static method => method.HasBody))
        {
            foreach (var call in method.Body.Instructions.Where(static instruction => instruction.OpCode.FlowControl == FlowControl.Call).ToList())
            {
                if (call.Operand is not MethodReference called)
                    continue;
                s_locks.TryReplace(module, call, called);
                if (FindLock(call, called) is not { } found)
                    continue;
                var processor = method.Body.GetILProcessor();
                processor.InsertBefore(call, Instruction.Create(OpCodes.Ldstr, found));
                processor.InsertBefore(call, Instruction.Create(OpCodes.Call, name));
            }

            method.Body.SimplifyMacros(); // the added instructions may be too many for a short branch
            if (FileOf(method) is not { } file)
                continue;
            method.Body.Instructions.Insert(0, Instruction.Create(OpCodes.Ldstr, file));
            method.Body.Instructions.Insert(1, Instruction.Create(OpCodes.Ldstr, CallOf(method)));
            method.Body.Instructions.Insert(2, Instruction.Create(OpCodes.Call, enter));
        }

        var rewritten = new MemoryStream();
        assembly.Write(rewritten);
        return rewritten.ToArray();
    }

    /// <summary>The name of the lock that a call enters, as docs/internals/locking.md writes it; <c>null</c> for another call.</summary>
    private static string? FindLock(Instruction call, MethodReference called)
    {
        if (called is { Name: "Enter", DeclaringType.Name: "ShortLock" })
            return call.Previous.Operand is FieldReference gate ? NameOf(gate) : null;
        if (called is not { Name: "Enter", DeclaringType.Name: nameof(HeldLocks) or "Monitor" } || call.Previous?.Previous is not { } load)
            return null;

        // The object of a lock statement is stored in a variable first.
        for (var store = load.Previous; store is not null; store = store.Previous)
        {
            if (IsStore(store, load))
                return store.Previous.Operand is FieldReference field ? NameOf(field) : null;
        }

        return null;
    }

    private static bool IsStore(Instruction store, Instruction load) => store.OpCode.Code switch
    {
        Code.Stloc_0 => load.OpCode.Code == Code.Ldloc_0,
        Code.Stloc_1 => load.OpCode.Code == Code.Ldloc_1,
        Code.Stloc_2 => load.OpCode.Code == Code.Ldloc_2,
        Code.Stloc_3 => load.OpCode.Code == Code.Ldloc_3,
        Code.Stloc or Code.Stloc_S => store.Operand == load.Operand,
        _ => false,
    };

    /// <summary>The name of a field with its types, without type parameters. The field of a parameter has the name of the parameter.</summary>
    private static string NameOf(FieldReference field)
    {
        var name = field.Name.StartsWith('<') ? field.Name[1..field.Name.IndexOf('>', StringComparison.Ordinal)] : field.Name;
        for (var type = field.DeclaringType; type is not null; type = type.DeclaringType)
            name = $"{type.Name.Split('`')[0]}.{name}";
        return name;
    }

    /// <summary>The name of a method that is a call of its own; an empty string for a constructor, an accessor, a lambda and the code of a state machine.</summary>
    private static string CallOf(MethodDefinition method) => method.IsSpecialName || method.Name.Contains('<', StringComparison.Ordinal) || method.DeclaringType.Name.Contains('<', StringComparison.Ordinal)
        ? ""
        : $"{method.DeclaringType.Name.Split('`')[0]}.{method.Name}";

    /// <summary>The file of a method; <c>null</c> for the accessors of automatic properties, which only read or write a field, and for generated code.</summary>
    private static string? FileOf(MethodDefinition method)
    {
        if (method.CustomAttributes.Any(static attribute => attribute.AttributeType.Name == nameof(CompilerGeneratedAttribute)))
            return null;
        var path = method.DebugInformation.SequencePoints.FirstOrDefault(static point => !point.IsHidden)?.Document.Url.Replace('\\', '/');
        var start = path?.LastIndexOf("/Source/", StringComparison.Ordinal) ?? -1;
        return start < 0 || path!.Contains("/obj/", StringComparison.Ordinal) ? null : path[(start + "/Source/".Length)..];
    }

    private sealed class Context() : AssemblyLoadContext("instrumented")
    {
        protected override Assembly? Load(AssemblyName name)
        {
            var path = Path.Combine(AppContext.BaseDirectory, name.Name + ".dll");
            if (!name.Name!.StartsWith("Reloaded.Messaging", StringComparison.Ordinal) || name.Name.Contains("Tests", StringComparison.Ordinal) || !File.Exists(path))
                return null;
            return LoadFromStream(new MemoryStream(s_rewritten.GetOrAdd(path, Rewrite)));
        }
    }
}
