namespace Reloaded.Messaging.Generators.Model;

/// <summary>An event of a service.</summary>
/// <param name="Interface">The interface that declares the event, fully qualified.</param>
/// <param name="Name">The name of the event.</param>
/// <param name="Handler">The delegate, fully qualified.</param>
/// <param name="Message">The message of the delegate's parameters, in their order.</param>
internal sealed record ServiceEvent(string Interface, string Name, string Handler, MessageModel Message);
