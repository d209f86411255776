using System.Globalization;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace Reloaded.Messaging.Simulation;

/// <summary>A change of one instruction of the library, to see whether a world finds it.</summary>
/// <param name="type">The full name of the type. Its nested types, such as those of asynchronous methods, belong to it.</param>
/// <param name="index">The number of the change.</param>
internal sealed class Mutation(string type, int index)
{
    private static readonly Dictionary<Code, OpCode> s_opposites = new()
    {
        [Code.Brtrue] = OpCodes.Brfalse,
        [Code.Brfalse] = OpCodes.Brtrue,
        [Code.Beq] = OpCodes.Bne_Un,
        [Code.Bne_Un] = OpCodes.Beq,
        [Code.Blt] = OpCodes.Bge,
        [Code.Bge] = OpCodes.Blt,
        [Code.Bgt] = OpCodes.Ble,
        [Code.Ble] = OpCodes.Bgt,
        [Code.Blt_Un] = OpCodes.Bge_Un,
        [Code.Bge_Un] = OpCodes.Blt_Un,
        [Code.Bgt_Un] = OpCodes.Ble_Un,
        [Code.Ble_Un] = OpCodes.Bgt_Un,
    };

    /// <summary>What was changed; <c>null</c> before the change.</summary>
    public string? Description { get; private set; }

    /// <summary>Returns the number of changes that a type of a library allows; 0 if the library does not have the type.</summary>
    public static int Count(string path, string type)
    {
        using var assembly = AssemblyDefinition.ReadAssembly(path);
        return FindPoints(assembly.MainModule, type).Count;
    }

    /// <summary>Changes the instruction, if the module has the type.</summary>
    public void Apply(ModuleDefinition module)
    {
        var points = FindPoints(module, type);
        if (index >= points.Count)
            return;
        var (method, instruction) = points[index];
        var line = method.DebugInformation.SequencePoints.LastOrDefault(point => point.Offset <= instruction.Offset && !point.IsHidden)?.StartLine;
        Description = $"{method.DeclaringType.Name}.{method.Name}, line {line?.ToString(CultureInfo.InvariantCulture) ?? "?"}: {Describe(instruction)}";
        var processor = method.Body.GetILProcessor();
        method.Body.SimplifyMacros();
        if (s_opposites.TryGetValue(instruction.OpCode.Code, out var opposite))
        {
            instruction.OpCode = opposite;
        }
        else
        {
            var called = (MethodReference)instruction.Operand;
            for (var i = called.Parameters.Count + (called.HasThis ? 1 : 0); i > 1; i--)
                processor.InsertBefore(instruction, Instruction.Create(OpCodes.Pop));
            (instruction.OpCode, instruction.Operand) = (called.Parameters.Count + (called.HasThis ? 1 : 0) == 0 ? OpCodes.Nop : OpCodes.Pop, null);
        }

        method.Body.OptimizeMacros();
    }

    private static List<(MethodDefinition Method, Instruction Instruction)> FindPoints(ModuleDefinition module, string name)
    {
        if (module.GetType(name) is not { } type)
            return [];
        var types = new List<TypeDefinition> { type };
        types.AddRange(type.NestedTypes);
        var points = new List<(MethodDefinition, Instruction)>();
        foreach (var method in types.SelectMany(static type => type.Methods).Where(static method => method.HasBody && !method.IsConstructor && method.Name != "SetStateMachine"))
        {
            var isStateMachine = method.DeclaringType.Name.Contains(">d__", StringComparison.Ordinal);
            method.Body.SimplifyMacros();
            foreach (var instruction in method.Body.Instructions)
            {
                if (s_opposites.ContainsKey(instruction.OpCode.Code) ? !isStateMachine || !IsOfStateMachine(instruction) : IsRemovable(instruction))
                    points.Add((method, instruction));
            }
        }

        return points;
    }

    /// <summary>Whether a branch tests the state or an awaiter of an asynchronous method, and not a condition of its code.</summary>
    private static bool IsOfStateMachine(Instruction branch)
    {
        var before = branch.Previous;
        return before is { Operand: VariableDefinition { Index: 0 } } or { Operand: MethodReference { Name: "get_IsCompleted" } } or { Operand: FieldReference { Name: "<>1__state" } };
    }

    private static bool IsRemovable(Instruction instruction) =>
        instruction.OpCode.FlowControl == FlowControl.Call && instruction.Operand is MethodReference called && called.ReturnType.FullName == "System.Void" && called.Name != ".ctor" &&
        called.DeclaringType.Namespace is not ("System.Runtime.CompilerServices" or "System.Diagnostics") && called.DeclaringType.Name is not ("Monitor" or "Scope" or "GC") &&
        called.Parameters.All(static parameter => !parameter.ParameterType.IsByReference);

    private static string Describe(Instruction instruction) =>
        instruction.Operand is MethodReference called ? $"without the call of {called.DeclaringType.Name}.{called.Name}" : $"{s_opposites[instruction.OpCode.Code].Name} instead of {instruction.OpCode.Name}";
}
