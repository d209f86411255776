namespace Reloaded.Messaging.Generators.Model;

/// <summary>A handler class of a worker service, for one message.</summary>
/// <param name="Builder">The builder of the host, such as <c>Reloaded.Messaging.Extensions.Hosting.MessageHostBuilder</c>.</param>
/// <param name="Call">The call that adds the class to the builder.</param>
internal sealed record HandlerClass(string Builder, string Call);
