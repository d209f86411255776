using System;
using System.Linq;
using System.Reflection;

namespace Reloaded.Messaging.Simulation;

/// <summary>A static method that the rewritten library calls instead of a method of the framework or of the library.</summary>
/// <remarks>The parameters are those of the replaced method. The instance of an instance method comes first. A method that replaces a constructor returns the object.</remarks>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ReplacesAttribute : Attribute
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

/// <summary>A type that the rewritten library uses instead of a type of the framework. It has the members that the library calls.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct)]
public sealed class StandsInForAttribute(Type type) : Attribute
{
    /// <summary>The type of the framework.</summary>
    public Type Type { get; } = type;
}
