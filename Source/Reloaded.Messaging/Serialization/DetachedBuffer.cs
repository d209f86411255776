using System;
using System.Buffers;

namespace Reloaded.Messaging;

/// <summary>The destination of a spare JSON writer while it is unused. Writing there is a defect of the library.</summary>
internal sealed class DetachedBuffer : IBufferWriter<byte>
{
    public static readonly DetachedBuffer Instance = new();

    public void Advance(int count) => throw Fault();

    public Memory<byte> GetMemory(int sizeHint = 0) => throw Fault();

    public Span<byte> GetSpan(int sizeHint = 0) => throw Fault();

    private static InvalidOperationException Fault() => new("A JSON writer was used outside of its call. This is a defect of the library.");
}
