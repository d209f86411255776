using System.Net;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>A listener that clients find by the process id of the server, and the token that its entry contains.</summary>
internal sealed class PublishedListener : TransportListener
{
    private const int TokenSize = 32;

    /// <summary>The maximum number of attempts while other processes check the same dead entry.</summary>
    private const int Attempts = 20;

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(10);

    private readonly TransportListener _inner;
    private readonly EntryFile _file;
    private int _isDisposed;

    private PublishedListener(TransportListener inner, EntryFile file, TransportAddress address, ReadOnlyMemory<byte> token)
    {
        _inner = inner;
        _file = file;
        Address = address;
        Token = token;
    }

    public override TransportAddress Address { get; }

    public override ReadOnlyMemory<byte> Token { get; }

    /// <summary>Listens at the addresses of the entry: sockets or pipes with a unique name.</summary>
    /// <param name="address">This process, and the name of the server.</param>
    /// <param name="own">The addresses, in the order in which clients prefer them.</param>
    /// <param name="context">The settings of the host.</param>
    public static ValueTask<TransportListener> ListenOwnAsync(TransportAddress address, TransportAddress[] own, TransportContext context) =>
        PublishAsync(address.Name, context, own, () => ListenAtAllAsync(own, context), address);

    /// <summary>Publishes a listener at an address that the program has chosen.</summary>
    public static ValueTask<TransportListener> PublishAsync(TransportAddress address, TransportContext context)
    {
        if (address.Transport is InProcessTransport)
            throw new InvalidOperationException($"{address} cannot be reached from other processes, so it cannot be published. Leave MessageHostOptions.PublishedName out.");
        if (ProcessTransport.GetKind(address.Transport) is null)
            throw new InvalidOperationException($"{address} uses a transport that a client cannot create from an entry file, so it cannot be published. Leave MessageHostOptions.PublishedName out, and give clients the endpoint.");
        return PublishAsync(LocalName.Check(context.PublishedName!), context, null, () => TransportPolicy.ListenAsync(address, context), null);
    }

    public override ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) => _inner.AcceptAsync(cancellationToken);

    public override async ValueTask DisposeAsync()
    {
        try
        {
            if (Interlocked.Exchange(ref _isDisposed, 1) == 0)
                _file.Dispose(); // first, so that no client reads the address of a closed endpoint
        }
        finally
        {
            await _inner.DisposeAsync().ConfigureAwait(false);
        }
    }

    private static async ValueTask<TransportListener> PublishAsync(
        string name,
        TransportContext context,
        TransportAddress[]? own,
        Func<ValueTask<TransportListener>> listen,
        TransportAddress? announced)
    {
        ReadOnlyMemory<byte> token = context.Token.IsEmpty ? RandomNumberGenerator.GetBytes(TokenSize) : default; // a token that the program has set is not published
        var process = ProcessIdentity.OfThis();
        var file = Create(name);
        TransportListener? inner = null;
        try
        {
            if (own is not null)
                Write(file, name, MakeEntry(process, own, token, ownsSockets: true)); // before the sockets exist: if the process is killed in between, the entry leads to the socket files
            inner = await listen().ConfigureAwait(false);
            if (own is null)
                Write(file, name, MakeEntry(process, [AsReachable(inner.Address)], token, ownsSockets: false));
            await RenameAsync(file, name).ConfigureAwait(false);
            return new PublishedListener(inner, file, announced ?? inner.Address, token);
        }
        catch
        {
            file.Dispose();
            if (inner is not null)
                await inner.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static async ValueTask<TransportListener> ListenAtAllAsync(TransportAddress[] addresses, TransportContext context)
    {
        var listeners = new List<TransportListener>();
        try
        {
            foreach (var address in addresses)
                listeners.Add(await TransportPolicy.ListenAsync(address, context).ConfigureAwait(false));
            return listeners.Count == 1 ? listeners[0] : new JoinedListener(listeners);
        }
        catch
        {
            foreach (var listener in listeners)
                await listener.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static ServerEntry MakeEntry(ProcessIdentity process, TransportAddress[] addresses, ReadOnlyMemory<byte> token, bool ownsSockets)
    {
        var places = new ServerPlace[addresses.Length];
        for (var i = 0; i < places.Length; i++)
            places[i] = new ServerPlace(ProcessTransport.GetKind(addresses[i].Transport)!, addresses[i].Name, addresses[i].Port, ownsSockets);
        return new ServerEntry(process, places, token);
    }

    /// <summary>Removes the entries of servers that have ended, and creates the file of a new server.</summary>
    private static EntryFile Create(string name) => Use(name, static () =>
    {
        ServerFolder.RemoveDead();
        return EntryFile.Create(ServerFolder.Get());
    });

    /// <summary>Returns the folder of published servers.</summary>
    public static string GetFolder(string name) => Use(name, ServerFolder.Get);

    private static void Write(EntryFile file, string name, ServerEntry entry) => Use(name, () =>
    {
        file.Write(entry);
        return file;
    });

    /// <summary>Calls code that uses the folder or the file of a server. Explains its failure.</summary>
    private static T Use<T>(string name, Func<T> use)
    {
        try
        {
            return use();
        }
        catch (Exception e) when (EntryFile.IsUnavailable(e.InnerException ?? e))
        {
            throw new InvalidOperationException($"The server can't be published as '{name}', because its file cannot be written: {e.Message} Make the folder of the user writable, and free some disk space.", e);
        }
    }

    private static async ValueTask RenameAsync(EntryFile file, string name)
    {
        var path = ServerFolder.PathOf(name, Environment.ProcessId);
        for (var attempt = 1; !Use(name, () => file.TryPublish(path)); attempt++)
        {
            if (EntryFile.RemoveIfDead(path))
                continue;
            if (attempt == Attempts)
                throw new InvalidOperationException($"A server of process {Environment.ProcessId} is already published as '{name}': of this process, or of a process with the same id in another container that shares {path}. Dispose it first, choose another name, or give each container its own folder.");
            await Task.Delay(s_pause).ConfigureAwait(false);
        }
    }

    /// <summary>Returns the address for clients of this machine. A listener at every address is reached at loopback.</summary>
    private static TransportAddress AsReachable(TransportAddress address)
    {
        if (address.Transport is not TcpTransport || !IPAddress.TryParse(address.Name, out var ip))
            return address;
        if (ip.Equals(IPAddress.Any))
            return new TransportAddress(address.Transport, IPAddress.Loopback.ToString(), address.Port);
        return ip.Equals(IPAddress.IPv6Any) ? new TransportAddress(address.Transport, IPAddress.IPv6Loopback.ToString(), address.Port) : address;
    }
}

/// <summary>Accepts the clients of several listeners.</summary>
/// <param name="listeners">The listeners. They are disposed with this listener.</param>
internal sealed class JoinedListener(IReadOnlyList<TransportListener> listeners) : TransportListener
{
    private readonly Task<TransportChannel?>?[] _accepting = new Task<TransportChannel?>?[listeners.Count];

    public override TransportAddress Address => listeners[0].Address;

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        for (var i = 0; i < _accepting.Length; i++)
            _accepting[i] ??= listeners[i].AcceptAsync(default).AsTask(); // an accept that nobody awaits at present is kept for the next call
        var accepted = await Task.WhenAny(_accepting!).WaitAsync(cancellationToken).ConfigureAwait(false);
        return TryTake(Array.IndexOf(_accepting, accepted), accepted) ? await accepted.ConfigureAwait(false) : null;
    }

    public override async ValueTask DisposeAsync()
    {
        foreach (var listener in listeners)
            await listener.DisposeAsync().ConfigureAwait(false);
        for (var i = 0; i < _accepting.Length; i++)
        {
            if (_accepting[i] is { } kept && TryTake(i, kept) && await kept.ConfigureAwait(false) is { } channel)
                await channel.DisposeAsync().ConfigureAwait(false); // it connected, and no call has accepted it
        }
    }

    /// <summary>Takes an accept that is kept. Either a call of <see cref="AcceptAsync"/> or the disposal takes it.</summary>
    private bool TryTake(int index, Task<TransportChannel?> kept) => index >= 0 && Interlocked.CompareExchange(ref _accepting[index], null, kept) == kept;
}
