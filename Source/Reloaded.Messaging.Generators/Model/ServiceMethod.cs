namespace Reloaded.Messaging.Generators.Model;

/// <summary>A method of a service.</summary>
/// <param name="Interface">The interface that declares the method, fully qualified.</param>
/// <param name="Name">The name of the method.</param>
/// <param name="Parameters">The parameters.</param>
/// <param name="Returns">The return type, fully qualified.</param>
/// <param name="IsTask">Whether the method returns a <c>Task</c>; <c>false</c> for a <c>ValueTask</c>.</param>
/// <param name="Result">The C# type of the result, fully qualified; <c>null</c> for a method without a result.</param>
/// <param name="Request">The message of the parameters.</param>
/// <param name="Reply">The message of the result; <c>null</c> if the result is itself a message, or if there is none.</param>
internal sealed record ServiceMethod(
    string Interface,
    string Name,
    EquatableArray<ServiceParameter> Parameters,
    string Returns,
    bool IsTask,
    string? Result,
    MessageModel Request,
    MessageModel? Reply);
