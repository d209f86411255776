namespace Reloaded.Messaging.Tests.Channels;

/// <summary>Does to what is sent what a test wants. An exchange of keys is one write of each side, or two of the client's; each send after it is one.</summary>
internal sealed class AlteringChannel(TransportChannel inner) : TransportChannel
{
    public Func<byte[], byte[]> Alter { get; set; } = static bytes => bytes;

    public List<byte[]> Sent { get; } = [];

    /// <summary>What to do between the moments in which something came to a place and is handed up.</summary>
    public Func<Memory<byte>, Task> Received { get; set; } = static _ => Task.CompletedTask;

    public override string RemoteName => inner.RemoteName;

    public override ValueTask SendAsync(ReadOnlyMemory<byte> frames, CancellationToken cancellationToken)
    {
        var altered = Alter(frames.ToArray());
        Sent.Add(altered);
        return altered.Length == 0 ? default : inner.SendAsync(altered, cancellationToken);
    }

    public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        var received = await inner.ReceiveAsync(buffer, cancellationToken);
        await Received(buffer);
        return received;
    }

    public override void Abort() => inner.Abort();

    public override ValueTask DisposeAsync() => inner.DisposeAsync();
}
