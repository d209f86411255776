using RabbitMQ.Client;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Copies the settings of the caller.</summary>
internal static class ConnectionFactoryExtensions
{
    /// <summary>Copies a factory and turns the recovery of the copy off, because the host reconnects by itself. The caller's factory does not change.</summary>
    public static ConnectionFactory CopyWithoutRecovery(this ConnectionFactory factory) => new()
    {
        AmqpUriSslProtocols = factory.AmqpUriSslProtocols,
        AuthMechanisms = factory.AuthMechanisms,
        AutomaticRecoveryEnabled = false,
        ClientProperties = factory.ClientProperties,
        ClientProvidedName = factory.ClientProvidedName,
        ConsumerDispatchConcurrency = factory.ConsumerDispatchConcurrency,
        ContinuationTimeout = factory.ContinuationTimeout,
        CredentialsProvider = factory.CredentialsProvider,
        EndpointResolverFactory = factory.EndpointResolverFactory,
        HandshakeContinuationTimeout = factory.HandshakeContinuationTimeout,
        HostName = factory.HostName,
        MaxInboundMessageBodySize = factory.MaxInboundMessageBodySize,
        NetworkRecoveryInterval = factory.NetworkRecoveryInterval,
        Password = factory.Password,
        Port = factory.Port,
        RequestedChannelMax = factory.RequestedChannelMax,
        RequestedConnectionTimeout = factory.RequestedConnectionTimeout,
        RequestedFrameMax = factory.RequestedFrameMax,
        RequestedHeartbeat = factory.RequestedHeartbeat,
        SocketFactory = factory.SocketFactory,
        SocketReadTimeout = factory.SocketReadTimeout,
        SocketWriteTimeout = factory.SocketWriteTimeout,
        Ssl = factory.Ssl,
        TopologyRecoveryEnabled = false,
        UserName = factory.UserName,
        VirtualHost = factory.VirtualHost,
    };
}
