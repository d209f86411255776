using System.Linq;
using System.Reflection;
using System.Text.RegularExpressions;

namespace Reloaded.Messaging.Tests.Analyzers;

/// <summary>The public methods whose type argument is a message with a declared contract.</summary>
internal static class MessageMethods
{
    /// <summary>Returns the methods of some assemblies.</summary>
    /// <param name="assemblies">A type of each assembly.</param>
    public static List<MethodInfo> Of(params Type[] assemblies) => [.. assemblies
        .SelectMany(static type => type.Assembly.GetExportedTypes())
        .Where(static type => type.Namespace is { } name && !name.EndsWith("CompilerServices", StringComparison.Ordinal))
        .SelectMany(static type => type.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly))
        .Where(static method => method.IsGenericMethodDefinition && !TakesContract(method) && method.GetGenericArguments().Any(IsMessage))];

    /// <summary>Returns whether a method has a message as an argument.</summary>
    public static bool Sends(MethodInfo method) => method.GetParameters().Any(IsValue);

    private static bool TakesContract(MethodInfo method) =>
        method.GetParameters().Any(static parameter => parameter.ParameterType.IsGenericType && parameter.ParameterType.GetGenericTypeDefinition() == typeof(MessageContract<>));

    /// <summary>Returns whether a type parameter can be any message. A host, a state, a filter, a handler or a service is none, and a message has no constraint.</summary>
    public static bool IsMessage(Type parameter) =>
        parameter.GetGenericParameterConstraints().Length == 0 && (parameter.GenericParameterAttributes & GenericParameterAttributes.ReferenceTypeConstraint) == 0 &&
        !Regex.IsMatch(parameter.Name, "^T(From|State|Context|Argument|Key|Value)$");

    private static bool IsValue(ParameterInfo parameter)
    {
        var type = parameter.ParameterType.IsByRef ? parameter.ParameterType.GetElementType()! : parameter.ParameterType;
        return !parameter.IsOut && (type.IsGenericMethodParameter ? IsMessage(type) : type.IsGenericType && type.Name is "IRequest`1" or "IStreamRequest`1");
    }
}
