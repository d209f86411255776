using System.Diagnostics.CodeAnalysis;
using Reloaded.Messaging.Benchmarks.Hosts.Peers;

namespace Reloaded.Messaging.Benchmarks.Hosts.Requests;

/// <summary>The floor: the hand-written code of <see cref="SocketEcho"/>.</summary>
[SuppressMessage("Reliability", "CA2012:Use ValueTasks correctly", Justification = "Each is consumed once, after it has completed.")]
internal sealed class BareRequests : HandDriven
{
    private readonly SocketEcho.Client _client;
    private readonly ValueTask<byte[]>[] _replies = new ValueTask<byte[]>[InFlight];

    public BareRequests()
    {
        _ = SocketEcho.ServeAsync(new BareLink(ToServer.ReadAsync, bytes => new ValueTask<int>(ToClient.Write(bytes))));
        _client = new SocketEcho.Client(new BareLink(ToClient.ReadAsync, bytes => new ValueTask<int>(ToServer.Write(bytes))), completesInline: true);
    }

    protected override void Send()
    {
        _client.Cork();
        for (var i = 0; i < InFlight; i++)
            _replies[i] = _client.EchoAsync(Payloads[i]);
    }

    protected override void Flush() => _client.Uncork();

    protected override int Return()
    {
        var equal = 0;
        for (var i = 0; i < InFlight; i++)
        {
            if (_replies[i].GetAwaiter().GetResult().AsSpan().SequenceEqual(Payloads[i]))
                equal++;
        }

        return equal;
    }
}
