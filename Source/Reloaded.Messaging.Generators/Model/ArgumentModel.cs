namespace Reloaded.Messaging.Generators.Model;

/// <summary>An argument of a constructor call.</summary>
/// <param name="Parameter">The parameter's name.</param>
/// <param name="Type">Its C# type, fully qualified.</param>
/// <param name="Field">The field that is passed, or <c>null</c> for a member that is excluded from the message.</param>
internal sealed record ArgumentModel(string Parameter, string Type, string? Field);
