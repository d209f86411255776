using Reloaded.Messaging.Compression.LZ4;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>A receiver of plain bytes under one contract, which keeps what its handler got.</summary>
internal sealed class HostileReceiver
{
    private readonly MessageDispatcher<List<byte[]>> _dispatcher = new(HostileTargets.Limits);
    private readonly MessageContract<ReadOnlyMemory<byte>> _contract;
    private List<byte[]> _got = [];

    /// <param name="compressor">The compressor's name, or null for none.</param>
    /// <param name="type">The message type.</param>
    public HostileReceiver(string? compressor, uint type = 3)
    {
        IMessageCompressor? chosen = compressor switch
        {
            "lz4" => new LZ4Compressor(),
            "brotli" => new BrotliCompressor(),
            _ => null,
        };
        var policy = chosen is null ? null : new CompressionOptions(chosen, threshold: 0, evenIfLarger: true);
        _contract = new MessageContract<ReadOnlyMemory<byte>>(type, new RawSerializer(), policy);
        _dispatcher.Register(_contract, static (in ReadOnlyMemory<byte> message, ref List<byte[]> got) => got.Add(message.ToArray()));
    }

    /// <summary>What the handler got, so far.</summary>
    public List<byte[]> Got => _got;

    /// <summary>A good message, compressed whatever it costs.</summary>
    public HostileSeed Pack(ReadOnlyMemory<byte> payload)
    {
        using var packed = new MessageWriter().Pack(_contract, payload);
        return HostileSeed.Read(packed.Span.ToArray());
    }

    /// <summary>Dispatches a message and checks that the status tells whether the handler was called.</summary>
    public DispatchStatus Receive(ReadOnlySpan<byte> message)
    {
        var before = _got.Count;
        var status = _dispatcher.Dispatch(message, ref _got);
        if (_got.Count - before != (status == DispatchStatus.Handled ? 1 : 0))
            throw new InvalidOperationException($"{Convert.ToHexString(message)} is {status} and called {_got.Count - before} handlers.");
        return status;
    }

    /// <summary>Dispatches a compressed message that declares a size of the sender's choice.</summary>
    public DispatchStatus Receive(HostileSeed from, int declaredSize)
    {
        using var packed = new MessageWriter().PackRaw(new MessageHeader(from.Header.Type).Compressed(declaredSize), from.Payload);
        return Receive(packed.Span);
    }
}
