namespace Reloaded.Messaging.Generators.Model;

/// <summary>A parameter of a service's method.</summary>
/// <param name="Name">The name.</param>
/// <param name="Type">The C# type, fully qualified.</param>
/// <param name="Role">What its argument is used for.</param>
internal sealed record ServiceParameter(string Name, string Type, ParameterRole Role);
