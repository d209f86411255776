namespace Reloaded.Messaging.Generators.Model;

/// <summary>What a constructor is given.</summary>
/// <param name="Parameter">The parameter's name.</param>
/// <param name="Type">Its C# type, fully qualified.</param>
/// <param name="Field">The field that it takes; null for a member that was left out of the message.</param>
internal sealed record ArgumentModel(string Parameter, string Type, string? Field);
