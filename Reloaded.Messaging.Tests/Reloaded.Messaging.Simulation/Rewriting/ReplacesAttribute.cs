using System;

namespace Reloaded.Messaging.Simulation;

/// <summary>A static method that the rewritten library calls instead of a method of the framework or of the library.</summary>
/// <remarks>The parameters are those of the replaced method. The instance of an instance method comes first. A method that replaces a constructor returns the object.</remarks>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ReplacesAttribute(string type, string method) : Attribute
{
    /// <summary>The full name of the type that declares the replaced method.</summary>
    public string Type { get; } = type;

    /// <summary>The name of the replaced method; <c>.ctor</c> for a constructor.</summary>
    public string Method { get; } = method;
}

/// <summary>A type that the rewritten library uses instead of a type of the framework. It has the members that the library calls.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct)]
public sealed class StandsInForAttribute(Type type) : Attribute
{
    /// <summary>The type of the framework.</summary>
    public Type Type { get; } = type;
}
