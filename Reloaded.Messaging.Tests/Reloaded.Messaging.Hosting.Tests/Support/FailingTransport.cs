using System.Collections.Concurrent;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A member of a transport, and the call of it that throws.</summary>
/// <param name="Member">The type and the name of the member.</param>
/// <param name="Call">The number of the call, from 1.</param>
/// <param name="IsAfter">Whether the member does its work before it throws.</param>
internal sealed record FailingCall(string Member, int Call, bool IsAfter)
{
    private int _calls;

    public readonly InvalidOperationException Exception = new($"{Member}, call {Call}");

    /// <summary>Whether the member threw.</summary>
    public bool HasThrown => Volatile.Read(ref _calls) >= Call;

    public void ThrowIfDue(string member, bool isAfter)
    {
        if (member == Member && isAfter == IsAfter && Interlocked.Increment(ref _calls) == Call)
            throw Exception;
    }
}

/// <summary>A transport within the process, one call of which throws.</summary>
internal sealed class FailingTransport(FailingCall fault) : Transport
{
    /// <summary>The channels, each with the number of its disposals.</summary>
    public readonly ConcurrentDictionary<FailingChannel, int> Channels = new();

    public FailingCall Failing => fault;

    public override string Scheme => "failing";

    public override bool IsLocal => true;

    public T Call<T>(string member, Func<T> call)
    {
        fault.ThrowIfDue(member, isAfter: false);
        var result = call();
        fault.ThrowIfDue(member, isAfter: true);
        return result;
    }

    public async ValueTask<T> CallAsync<T>(string member, Func<ValueTask<T>> call)
    {
        fault.ThrowIfDue(member, isAfter: false);
        var result = await call();
        fault.ThrowIfDue(member, isAfter: true);
        return result;
    }

    public override ValueTask<TransportListener> ListenAsync(TransportAddress address, TransportContext context) => CallAsync<TransportListener>(
        "Transport.ListenAsync", async () => new FailingListener(this, address, await InProcessTransport.Instance.ListenAsync(Inner(address), context)));

    public override ValueTask<TransportChannel> ConnectAsync(TransportAddress address, TransportContext context, CancellationToken cancellationToken) => CallAsync<TransportChannel>(
        "Transport.ConnectAsync", async () => new FailingChannel(this, "client", await InProcessTransport.Instance.ConnectAsync(Inner(address), context, cancellationToken)));

    private static TransportAddress Inner(TransportAddress address) => new(InProcessTransport.Instance, address.Name, 0);

    private sealed class FailingListener(FailingTransport transport, TransportAddress address, TransportListener inner) : TransportListener
    {
        public override TransportAddress Address => transport.Call("Listener.Address", () => address);

        public override ReadOnlyMemory<byte> Token => transport.Call("Listener.Token", () => inner.Token);

        public override ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken) => transport.CallAsync<TransportChannel?>(
            "Listener.AcceptAsync",
            async () => await inner.AcceptAsync(cancellationToken) is { } channel ? new FailingChannel(transport, "server", channel) : null);

        public override async ValueTask DisposeAsync() => await transport.CallAsync("Listener.DisposeAsync", async () =>
        {
            await inner.DisposeAsync();
            return true;
        });
    }
}

/// <summary>A channel within the process, one call of which throws.</summary>
internal sealed class FailingChannel : TransportChannel
{
    private readonly FailingTransport _transport;
    private readonly string _side;
    private readonly TransportChannel _inner;

    public FailingChannel(FailingTransport transport, string side, TransportChannel inner)
    {
        (_transport, _side, _inner) = (transport, side, inner);
        _transport.Channels[this] = 0;
    }

    public override string RemoteName => Call(nameof(RemoteName), () => _inner.RemoteName);

    public override string? RemoteIdentity => Call(nameof(RemoteIdentity), () => _inner.RemoteIdentity);

    public override int LostFrames => Call(nameof(LostFrames), static () => 0);

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken) =>
        CallAsync(nameof(SendAsync), () => _inner.SendAsync(frames, cancellationToken));

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) =>
        _transport.CallAsync(NameOf(nameof(ReceiveAsync)), () => _inner.ReceiveAsync(buffer, cancellationToken));

    public override void Abort() => Call(nameof(Abort), () =>
    {
        _inner.Abort();
        return true;
    });

    public override ValueTask DisposeAsync()
    {
        _transport.Channels.AddOrUpdate(this, 1, static (_, count) => count + 1);
        return CallAsync(nameof(DisposeAsync), _inner.DisposeAsync);
    }

    private T Call<T>(string member, Func<T> call) => _transport.Call(NameOf(member), call);

    private async ValueTask CallAsync(string member, Func<ValueTask> call) => await _transport.CallAsync(NameOf(member), async () =>
    {
        await call();
        return true;
    });

    private string NameOf(string member) => $"Channel.{member} of the {_side}";
}
