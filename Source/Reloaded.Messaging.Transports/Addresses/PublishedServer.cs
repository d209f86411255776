namespace Reloaded.Messaging;

/// <summary>A running server that a process of this user has published. Immutable.</summary>
public sealed class PublishedServer
{
    private PublishedServer(MessageEndpoint endpoint, IReadOnlyList<string> schemes)
    {
        Endpoint = endpoint;
        Schemes = schemes;
    }

    /// <summary>The process and the name of the server. A client of this user can connect to it.</summary>
    public MessageEndpoint Endpoint { get; }

    /// <summary>The schemes of the transports at which the server listens, in the order in which a client tries them: <c>shm</c>, <c>unix</c>, <c>pipe</c>, <c>tcp</c> or <c>udp</c>.</summary>
    public IReadOnlyList<string> Schemes { get; }

    /// <summary>The endpoint.</summary>
    public override string ToString() => Endpoint.ToString();

    /// <summary>Finds all servers that processes of this user have published and that are running now.</summary>
    /// <returns>The servers, in ascending order of the process ids and then of the names.</returns>
    /// <remarks>Reads a small file for each server. <see cref="MessageEndpoint.FindServers"/> finds the servers of one name.</remarks>
    public static IReadOnlyList<PublishedServer> FindAll() => ServerFolder.Find(null).ConvertAll(static server =>
    {
        var (name, entry) = server;
        var endpoint = MessageEndpoint.OfProcess(entry.Process.Id, name);
        var transport = (ProcessTransport)endpoint.Transport;
        return new PublishedServer(endpoint, Array.ConvertAll([.. entry.Places], transport.GetScheme));
    });
}
