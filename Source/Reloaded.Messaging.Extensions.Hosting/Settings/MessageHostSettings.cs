using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>The settings of a server or a client that was added to the services. They are read from the configuration section <c>Messaging:NAME</c>.</summary>
/// <remarks>
/// <c>services.Configure&lt;MessageHostSettings&gt;(name, …)</c> changes them after the section was read, for example
/// <c>settings.Options = settings.Options with { Token = vault.Read() }</c>. Settings are read once, when the program starts.
/// </remarks>
public sealed class MessageHostSettings
{
    /// <summary>The endpoint at which a server listens, or to which a client connects. Required.</summary>
    public MessageEndpoint? Endpoint { get; set; }

    /// <summary>The options of the host.</summary>
    public MessageHostOptions Options { get; set; } = new();
}
