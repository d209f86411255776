using System.Linq;
using System.Reflection;
using Mono.Cecil;
using Mono.Cecil.Cil;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Replaces calls in an assembly by calls of the static methods of a type that have a <see cref="ReplacesAttribute"/>.</summary>
internal sealed class CallReplacer
{
    private readonly Dictionary<string, MethodInfo> _methods;
    private readonly HashSet<string> _names;

    /// <param name="replacements">The type with the methods.</param>
    public CallReplacer(Type replacements)
    {
        _methods = replacements.GetMethods(BindingFlags.Public | BindingFlags.Static)
            .Select(static method => (Method: method, Replaced: method.GetCustomAttribute<ReplacesAttribute>()))
            .Where(static entry => entry.Replaced is not null)
            .ToDictionary(static entry => KeyOf(entry.Method, entry.Replaced!), static entry => entry.Method, StringComparer.Ordinal);
        _names = [.. _methods.Keys.Select(static key => key[..key.IndexOf('(', StringComparison.Ordinal)])];
    }

    /// <summary>Replaces the method that an instruction calls, if there is a replacement with the same parameters.</summary>
    /// <param name="module">The module of the instruction.</param>
    /// <param name="call">The instruction.</param>
    /// <param name="called">The method that it calls.</param>
    public bool TryReplace(ModuleDefinition module, Instruction call, MethodReference called)
    {
        if (!_methods.TryGetValue(KeyOf(called), out var replacement))
            return false;
        (call.OpCode, call.Operand) = (call.OpCode.Code == Code.Ldftn ? OpCodes.Ldftn : OpCodes.Call, Import(module, replacement, called));
        return true;
    }

    /// <summary>Whether a method has an overload that is replaced.</summary>
    public bool HasReplacedOverload(MethodReference called) => _names.Contains(NameOf(called));

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

    private static string KeyOf(MethodReference called) =>
        $"{NameOf(called)}({string.Join(",", called.GetElementMethod().Parameters.Select(static parameter => NameOf(parameter.ParameterType)))})";

    private static string KeyOf(MethodInfo replacement, ReplacesAttribute replaced)
    {
        var parameters = replacement.GetParameters().Select(static parameter => NameOf(parameter.ParameterType));
        return $"{replaced.Type}::{replaced.Method}({string.Join(",", parameters.Skip(replaced.IsStatic ? 0 : 1))})";
    }

    private static string NameOf(MethodReference called) => $"{called.DeclaringType.GetElementType().FullName}::{called.Name}";

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

/// <summary>A static method that a rewritten library calls instead of a method of the framework or of the library.</summary>
/// <remarks>The parameters are those of the replaced method. The instance of an instance method comes first. A method that replaces a constructor returns the object.</remarks>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class ReplacesAttribute : Attribute
{
    /// <summary>Replaces a method of the framework.</summary>
    /// <param name="type">The type that declares the method.</param>
    /// <param name="method">The name of the method; <c>.ctor</c> for a constructor.</param>
    public ReplacesAttribute(Type type, string method) => (Type, Method, IsStatic) = (type.FullName!, method, method == ".ctor" || type.GetMember(method).OfType<MethodInfo>().Any(static found => found.IsStatic));

    /// <summary>Replaces an instance method of an internal type of the library.</summary>
    /// <param name="type">The full name of the type that declares the method.</param>
    /// <param name="method">The name of the method.</param>
    public ReplacesAttribute(string type, string method) => (Type, Method) = (type, method);

    /// <summary>The full name of the type that declares the replaced method.</summary>
    public string Type { get; }

    /// <summary>The name of the replaced method.</summary>
    public string Method { get; }

    /// <summary>Whether the replaced method has no instance.</summary>
    public bool IsStatic { get; }
}
