using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>Contracts and messages as bytes, for the dispatcher's tests.</summary>
internal static class Given
{
    public static MessageWriter Writer { get; } = new();

    /// <summary>Compresses everything, so that even eight bytes arrive compressed.</summary>
    public static CompressionOptions Always { get; } = new(new BrotliCompressor(), threshold: 0, evenIfLarger: true);

    public static MessageContract<Point> Points(uint type, CompressionOptions? compression = null) =>
        new(type, new BlittableSerializer<Point>(), compression);

    public static MessageContract<Celsius> Degrees(uint type, CompressionOptions? compression = null) =>
        new(type, new BlittableSerializer<Celsius>(), compression);

    public static MessageContract<string> Text(uint type, CompressionOptions? compression = null) => new(type, new Utf8TextSerializer(), compression);

    public static byte[] Packed<T>(MessageContract<T> contract, T value)
    {
        using var packed = Writer.Pack(contract, in value);
        return packed.Span.ToArray();
    }

    public static byte[] Packed<T>(MessageContract<T> contract, T value, MessageKind kind, uint correlationId)
    {
        using var packed = Writer.Pack(contract, in value, kind, correlationId);
        return packed.Span.ToArray();
    }

    /// <summary>A message with a payload as it is given.</summary>
    public static byte[] Raw(MessageHeader header, params byte[] payload)
    {
        using var packed = Writer.PackRaw(header, payload);
        return packed.Span.ToArray();
    }

    /// <summary>Dispatches for the status alone.</summary>
    public static DispatchStatus Dispatch<T>(this MessageDispatcher<T> dispatcher, byte[] message)
    {
        var state = default(T)!;
        return dispatcher.Dispatch(message, ref state);
    }

    /// <summary>Dispatches asynchronously, for the status alone.</summary>
    public static Task<DispatchStatus> DispatchAsync<T>(this MessageDispatcher<T> dispatcher, byte[] message) =>
        dispatcher.DispatchAsync(message, default!).AsTask();

    /// <summary>Checks every counter: one status may have counts, all others none.</summary>
    public static void AssertCounted<T>(MessageDispatcher<T> dispatcher, DispatchStatus status, long count)
    {
        foreach (var each in Enum.GetValues<DispatchStatus>())
        {
            if (each != DispatchStatus.Handled)
                Assert.Equal((each, each == status ? count : 0), (each, dispatcher.GetCount(each)));
        }
    }
}
