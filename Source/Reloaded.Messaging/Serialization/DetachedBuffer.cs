using System;
using System.Buffers;

namespace Reloaded.Messaging;

/// <summary>Where a spare JSON writer points while nobody uses it: writing there is a fault in the library.</summary>
internal sealed class DetachedBuffer : IBufferWriter<byte>
{
    public static readonly DetachedBuffer Instance = new();

    public void Advance(int count) => throw Fault();

    public Memory<byte> GetMemory(int sizeHint = 0) => throw Fault();

    public Span<byte> GetSpan(int sizeHint = 0) => throw Fault();

    private static InvalidOperationException Fault() => new("A JSON writer was used outside of the call that it was taken for.");
}
