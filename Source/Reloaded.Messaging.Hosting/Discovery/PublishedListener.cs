using System;
using System.IO;
using System.Net;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>A listener that clients find by its process's id, and the token that its entry tells them.</summary>
internal sealed class PublishedListener : TransportListener
{
    private const int TokenSize = 32;

    /// <summary>How often to try where somebody looks at a dead entry in the same moment.</summary>
    private const int Attempts = 20;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(10);

    private readonly TransportListener _inner;
    private readonly EntryFile _file;
    private int _isDisposed;

    private PublishedListener(TransportListener inner, EntryFile file, MessageEndpoint endpoint, ReadOnlyMemory<byte> token)
    {
        _inner = inner;
        _file = file;
        Endpoint = endpoint;
        Token = token;
    }

    public override MessageEndpoint Endpoint { get; }

    /// <summary>What clients have to know.</summary>
    public ReadOnlyMemory<byte> Token { get; }

    /// <summary>Listens at an endpoint of the entry's own: a socket or pipe whose name nobody else has.</summary>
    /// <param name="endpoint">This process and a name.</param>
    /// <param name="options">The host's.</param>
    /// <param name="listen">Listens there.</param>
    public static async ValueTask<PublishedListener> ListenOwnAsync(MessageEndpoint endpoint, MessageHostOptions options, Func<MessageEndpoint, ValueTask<TransportListener>> listen)
    {
        if (endpoint.ProcessId != Environment.ProcessId)
            throw new InvalidOperationException($"{endpoint} is another process than this one, {Environment.ProcessId}. A server listens in its own: MessageEndpoint.OfProcess(Environment.ProcessId, name).");

        var id = $"{Environment.ProcessId}-{Convert.ToHexString(RandomNumberGenerator.GetBytes(8))}";
        var own = OperatingSystem.IsWindows() ? MessageEndpoint.Pipe($"{endpoint.Address}-{id}") : MessageEndpoint.Unix(Path.Combine(GetFolder(endpoint.Address), id + ".sock"));
        return await PublishAsync(endpoint.Address, options, own, () => listen(own), endpoint).ConfigureAwait(false);
    }

    /// <summary>Publishes a listener at an endpoint of the program's choice.</summary>
    public static ValueTask<PublishedListener> PublishAsync(MessageEndpoint endpoint, MessageHostOptions options, Func<ValueTask<TransportListener>> listen)
    {
        if (endpoint.Kind == EndpointKind.InProcess)
            throw new InvalidOperationException($"{endpoint} can't be reached from other processes, and so not be published. Leave MessageHostOptions.PublishedName out.");
        if (endpoint.Kind == EndpointKind.Other)
            throw new InvalidOperationException($"{endpoint} needs a transport that a client can't learn from a file, and so can't be published. Leave MessageHostOptions.PublishedName out, and tell clients where it is.");
        return PublishAsync(MessageEndpoint.OfProcess(Environment.ProcessId, options.PublishedName!).Address, options, null, listen, null);
    }

    /// <summary>The listener that is published.</summary>
    public TransportListener Inner => _inner;

    public override ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) => _inner.AcceptAsync(cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        try
        {
            if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
                _file.Dispose(); // first, so that nobody is sent to an endpoint that is gone
        }
        finally
        {
            await _inner.DisposeAsync().ConfigureAwait(false);
        }
    }

    private static async ValueTask<PublishedListener> PublishAsync(
        string name,
        MessageHostOptions options,
        MessageEndpoint? own,
        Func<ValueTask<TransportListener>> listen,
        MessageEndpoint? told)
    {
        var token = options.Token.IsEmpty ? RandomNumberGenerator.GetBytes(TokenSize) : options.Token;
        var published = options.Token.IsEmpty ? token : default; // a token of the program's own is its to hand out
        var process = ProcessIdentity.OfThis();
        var file = Create(name);
        TransportListener? inner = null;
        try
        {
            if (own is not null)
                Write(file, name, new ServerEntry(process, own, published, OwnsSocket: true)); // before there is a socket: killed in between, it is found by this
            inner = await listen().ConfigureAwait(false);
            if (own is null)
                Write(file, name, new ServerEntry(process, AsReached(inner.Endpoint), published, OwnsSocket: false));
            await RenameAsync(file, name).ConfigureAwait(false);
            return new PublishedListener(inner, file, told ?? inner.Endpoint, token);
        }
        catch
        {
            file.Dispose();
            if (inner is not null)
                await inner.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Removes the entries of dead servers, and makes the file of a new one.</summary>
    private static EntryFile Create(string name)
    {
        try
        {
            ServerFolder.RemoveDead();
            return EntryFile.Create(GetFolder(name));
        }
        catch (Exception e) when (EntryFile.IsUnavailable(e))
        {
            throw CantPublish(name, e);
        }
    }

    private static string GetFolder(string name)
    {
        try
        {
            return ServerFolder.Get();
        }
        catch (Exception e) when (EntryFile.IsUnavailable(e))
        {
            throw CantPublish(name, e);
        }
    }

    private static void Write(EntryFile file, string name, ServerEntry entry)
    {
        try
        {
            file.Write(entry);
        }
        catch (Exception e) when (EntryFile.IsUnavailable(e))
        {
            throw CantPublish(name, e);
        }
    }

    private static InvalidOperationException CantPublish(string name, Exception e) =>
        new($"The server can't be published as '{name}', because its file can't be written: {e.Message} The user's folder has to be on a disk that can be written and has room.", e);

    private static async ValueTask RenameAsync(EntryFile file, string name)
    {
        var path = ServerFolder.PathOf(name, Environment.ProcessId);
        for (var attempt = 1; !TryRename(file, name, path); attempt++)
        {
            if (EntryFile.RemoveIfDead(path))
                continue;
            if (attempt == Attempts)
                throw new InvalidOperationException($"A server of this process is published as '{name}' already. Dispose it first, or choose another name.");
            await Task.Delay(s_pause).ConfigureAwait(false);
        }
    }

    private static bool TryRename(EntryFile file, string name, string path)
    {
        try
        {
            return file.TryPublish(path);
        }
        catch (Exception e) when (EntryFile.IsUnavailable(e))
        {
            throw CantPublish(name, e);
        }
    }

    /// <summary>From this machine, one that listens at every address is reached at loopback.</summary>
    private static MessageEndpoint AsReached(MessageEndpoint endpoint)
    {
        if (endpoint.Kind != EndpointKind.Tcp || !IPAddress.TryParse(endpoint.Address, out var address))
            return endpoint;
        if (address.Equals(IPAddress.Any))
            return MessageEndpoint.Tcp(endpoint.Port);
        return address.Equals(IPAddress.IPv6Any) ? MessageEndpoint.Tcp(IPAddress.IPv6Loopback.ToString(), endpoint.Port) : endpoint;
    }
}
