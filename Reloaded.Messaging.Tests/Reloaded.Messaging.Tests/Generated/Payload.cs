using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>Generated messages to payloads and back, without what is around them.</summary>
internal static class Payload
{
    private static readonly MessageWriter s_writer = new(new MessageLimits { MaxMessageSize = 1 << 24, MaxDecompressedSize = 1 << 24 });

    /// <summary>The payload, uncompressed.</summary>
    public static byte[] Of<T>(T value)
    {
        var declared = MessageContract.GetDeclared<T>();
        var plain = new MessageContract<T>(declared.Type, declared.Serializer);
        using var packed = s_writer.Pack(plain, value);
        Assert.Equal(HeaderStatus.Ok, MessageHeader.TryRead(packed.Span, out _, out var size));
        return packed.Span.Slice(size).ToArray();
    }

    public static bool TryRead<T>(byte[] payload, out T? value) => MessageContract.GetDeclared<T>().Serializer.TryDeserialize(payload, out value);

    /// <summary>What the payload is read as, which it has to be.</summary>
    public static T Read<T>(byte[] payload)
    {
        Assert.True(TryRead<T>(payload, out var value), $"{typeof(T).Name} is not read.");
        return value!;
    }

    /// <summary>What another version of the message is read as.</summary>
    public static TTo Convert<TFrom, TTo>(TFrom value) => Read<TTo>(Of(value));
}
