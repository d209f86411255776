using Reloaded.Messaging.Tests.Generated;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>A generated message under attack: good payloads of it, and a receiver that checks all it reads.</summary>
internal abstract class GeneratedTarget
{
    protected const byte Type = 5;

    private byte[] _written = new byte[1 << 16];
    private int _length;

    public abstract string Name { get; }

    /// <summary>Good messages, each a byte of header and its payload.</summary>
    public List<byte[]> Samples { get; } = [];

    /// <summary>What the last message allocated when it was read.</summary>
    public long Allocated { get; protected set; }

    /// <summary>What the last message that was read is written as.</summary>
    public ReadOnlySpan<byte> Written => _written.AsSpan(0, _length);

    protected void Keep(ReadOnlySpan<byte> written)
    {
        if (written.Length > _written.Length)
            _written = new byte[written.Length * 2];
        written.CopyTo(_written);
        _length = written.Length;
    }

    /// <summary>Dispatches a message; fails if what is read isn't written, read and written again as the same.</summary>
    public abstract DispatchStatus Receive(ReadOnlySpan<byte> message);
}

/// <inheritdoc cref="GeneratedTarget"/>
internal sealed class GeneratedTarget<T> : GeneratedTarget
    where T : notnull
{
    private readonly MessageDispatcher<GeneratedTarget<T>> _dispatcher = new();
    private readonly MessageContract<T> _contract = new(Type, MessageContract.GetDeclared<T>().Serializer); // plain: what it compresses is others' to test
    private readonly MessageWriter _writer = new();
    private long _start;
    private int _inputLength;

    public GeneratedTarget(params T[] samples)
    {
        _dispatcher.Register(_contract, static (in T message, ref GeneratedTarget<T> target) => target.Check(in message));
        foreach (var sample in samples)
            Samples.Add([Type, .. Payload.Of(sample)]);
    }

    public override string Name => typeof(T).Name;

    public override DispatchStatus Receive(ReadOnlySpan<byte> message)
    {
        var self = this;
        Allocated = 0;
        _inputLength = message.Length;
        _start = GC.GetAllocatedBytesForCurrentThread();
        var status = _dispatcher.Dispatch(message, ref self);
        if (status != DispatchStatus.Handled)
            Allocated = GC.GetAllocatedBytesForCurrentThread() - _start;
        return status;
    }

    private void Check(in T message)
    {
        Allocated = GC.GetAllocatedBytesForCurrentThread() - _start;
        using var first = _writer.Pack(_contract, in message);
        Keep(first.Span);

        // Bytes that nobody knew gave the message an allowance that it doesn't have without them: then it gets as many again.
        if (!_contract.Serializer.TryDeserialize(first.Span.Slice(1), out var again) &&
            !_contract.Serializer.TryDeserialize([.. first.Span.Slice(1), .. new byte[_inputLength]], out again))
        {
            throw new InvalidOperationException($"What it wrote it does not read: {Convert.ToHexString(first.Span)}.");
        }

        using var second = _writer.Pack(_contract, in again);
        if (!first.Span.SequenceEqual(second.Span))
            throw new InvalidOperationException($"It wrote {Convert.ToHexString(first.Span)}, and of that {Convert.ToHexString(second.Span)}.");
    }
}
