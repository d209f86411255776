using System;
using System.Net;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

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

    private PublishedListener(TransportListener inner, EntryFile file, TransportAddress address, ReadOnlyMemory<byte> token)
    {
        _inner = inner;
        _file = file;
        Address = address;
        Token = token;
    }

    public override TransportAddress Address { get; }

    public override ReadOnlyMemory<byte> Token { get; }

    /// <summary>Listens at an address of the entry's own: a socket or pipe whose name no other server has.</summary>
    /// <param name="address">This process and a name.</param>
    /// <param name="own">The socket or pipe.</param>
    /// <param name="context">The host's.</param>
    public static ValueTask<PublishedListener> ListenOwnAsync(TransportAddress address, TransportAddress own, TransportContext context) =>
        PublishAsync(address.Name, context, own, () => TransportPolicy.ListenAsync(own, context), address);

    /// <summary>Publishes a listener at an address of the program's choice.</summary>
    public static ValueTask<PublishedListener> PublishAsync(TransportAddress address, TransportContext context)
    {
        if (address.Transport is InProcessTransport)
            throw new InvalidOperationException($"{address} can't be reached from other processes, and so not be published. Leave MessageHostOptions.PublishedName out.");
        if (ProcessTransport.GetKind(address.Transport) is null)
            throw new InvalidOperationException($"{address} needs a transport that a client can't learn from a file, and so can't be published. Leave MessageHostOptions.PublishedName out, and tell clients where it is.");
        return PublishAsync(LocalName.Check(context.PublishedName!), context, null, () => TransportPolicy.ListenAsync(address, context), null);
    }

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
        TransportContext context,
        TransportAddress? own,
        Func<ValueTask<TransportListener>> listen,
        TransportAddress? told)
    {
        ReadOnlyMemory<byte> token = context.Token.IsEmpty ? RandomNumberGenerator.GetBytes(TokenSize) : default; // a token of the program's own is not published
        var process = ProcessIdentity.OfThis();
        var file = Create(name);
        TransportListener? inner = null;
        try
        {
            if (own is not null)
                Write(file, name, MakeEntry(process, own, token, ownsSocket: true)); // before there is a socket: killed in between, it is found by this
            inner = await listen().ConfigureAwait(false);
            if (own is null)
                Write(file, name, MakeEntry(process, AsReached(inner.Address), token, ownsSocket: false));
            await RenameAsync(file, name).ConfigureAwait(false);
            return new PublishedListener(inner, file, told ?? inner.Address, token);
        }
        catch
        {
            file.Dispose();
            if (inner is not null)
                await inner.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static ServerEntry MakeEntry(ProcessIdentity process, TransportAddress address, ReadOnlyMemory<byte> token, bool ownsSocket) =>
        new(process, ProcessTransport.GetKind(address.Transport)!, address.Name, address.Port, token, ownsSocket);

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

    /// <summary>Returns the folder of published servers.</summary>
    public static string GetFolder(string name)
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
    private static TransportAddress AsReached(TransportAddress address)
    {
        if (address.Transport is not TcpTransport || !IPAddress.TryParse(address.Name, out var ip))
            return address;
        if (ip.Equals(IPAddress.Any))
            return new TransportAddress(address.Transport, IPAddress.Loopback.ToString(), address.Port);
        return ip.Equals(IPAddress.IPv6Any) ? new TransportAddress(address.Transport, IPAddress.IPv6Loopback.ToString(), address.Port) : address;
    }
}
