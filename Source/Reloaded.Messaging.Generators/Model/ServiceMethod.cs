using System.Linq;

namespace Reloaded.Messaging.Generators.Model;

/// <summary>A method of a service.</summary>
/// <param name="Interface">The interface that declares the method, fully qualified.</param>
/// <param name="Name">The name of the method.</param>
/// <param name="Parameters">The parameters.</param>
/// <param name="Returns">The return type, fully qualified.</param>
/// <param name="IsTask">Whether the method returns a <c>Task</c>; <c>false</c> for a <c>ValueTask</c> or a stream.</param>
/// <param name="Result">The C# type of the result, fully qualified; <c>null</c> for a method without a result.</param>
/// <param name="Request">The message of the parameters.</param>
/// <param name="Reply">The message of the result; <c>null</c> without a result, or if the result is itself a message.</param>
/// <param name="Items">The items of the result, fully qualified; <c>null</c> if the method returns no stream.</param>
/// <param name="Sent">The items or the reports of the parameter with <see cref="ParameterRole.Items"/> or <see cref="ParameterRole.Progress"/>, fully qualified; <c>null</c> without one.</param>
internal sealed record ServiceMethod(
    string Interface,
    string Name,
    EquatableArray<ServiceParameter> Parameters,
    string Returns,
    bool IsTask,
    string? Result,
    MessageModel Request,
    MessageModel? Reply,
    string? Items,
    string? Sent)
{
    /// <summary>Whether the method has items or progress.</summary>
    public bool IsStream => Items is not null || Sent is not null;

    /// <summary>The parameter of <see cref="Sent"/>; <c>null</c> without one.</summary>
    public ServiceParameter? Carrier => Find(ParameterRole.Items) ?? Find(ParameterRole.Progress);

    /// <summary>Returns the parameter with a role; otherwise, <c>null</c>.</summary>
    public ServiceParameter? Find(ParameterRole role) => Parameters.FirstOrDefault(parameter => parameter.Role == role);
}
