using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>A good message to start from, and where its payload begins.</summary>
internal sealed record HostileSeed(byte[] Bytes, MessageHeader Header, int HeaderSize)
{
    public ReadOnlySpan<byte> Payload => Bytes.AsSpan(HeaderSize);

    /// <summary>Good messages of every target, as often as its weight says, and some that are for nobody.</summary>
    public static HostileSeed[] Pack(HostileTargets targets)
    {
        var writer = new MessageWriter(HostileTargets.Limits);
        var seeds = new List<HostileSeed>();
        foreach (var target in targets.All)
        {
            var samples = target.PackSamples(writer);
            for (var i = 0; i < target.Weight * 6; i++)
                seeds.Add(Read(samples[i % samples.Count]));
        }

        foreach (var header in new MessageHeader[]
        {
            new(99),
            new(99, MessageKind.Request, 5),
            new(5_000_000),
            new MessageHeader(40).Compressed(100),
            new(2, MessageKind.Reply, 5),
            new MessageHeader(4, MessageKind.Reply, 5).Compressed(320),
            new(2, MessageKind.Fault, 500),
            new(1, MessageKind.Control),
        })
        {
            using var packed = writer.PackRaw(header, [1, 2, 3, 4]);
            seeds.Add(Read(packed.Span.ToArray()));
        }

        return [.. seeds];
    }

    public static HostileSeed Read(byte[] bytes)
    {
        if (MessageHeader.TryRead(bytes, out var header, out var size) != HeaderStatus.Ok)
            throw new ArgumentException("not a good message", nameof(bytes));
        return new HostileSeed(bytes, header, size);
    }
}
