namespace Reloaded.Messaging.Hosting;

/// <summary>The transports.</summary>
public enum EndpointKind
{
    /// <summary>Inside of a process.</summary>
    InProcess,

    /// <summary>TCP.</summary>
    Tcp,

    /// <summary>A Unix socket.</summary>
    Unix,

    /// <summary>A named pipe.</summary>
    NamedPipe,

    /// <summary>Wherever a process's server says that it listens.</summary>
    Process,

    /// <summary>UDP: neither order nor arrival are promised.</summary>
    Udp,

    /// <summary>A transport of another package: <see cref="MessageEndpoint.Transport"/>.</summary>
    Other,
}
