using System;
using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Net.Sockets;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>The floor of the echo figures: frames of 32 bytes with a length prefix over plain System.IO.Pipelines, with one flush for each read.</summary>
public static class BareEcho
{
    public const int FrameSize = 4 + 32;

    /// <summary>Returns every received frame to the sender.</summary>
    public static async Task ServeAsync(Socket socket)
    {
        await using var stream = new NetworkStream(socket, ownsSocket: true);
        var (reader, writer) = (PipeReader.Create(stream), PipeWriter.Create(stream));
        while (true)
        {
            var result = await reader.ReadAsync();
            var buffer = result.Buffer;
            while (TryReadFrame(ref buffer, out var frame))
            {
                foreach (var part in frame)
                    writer.Write(part.Span);
            }

            reader.AdvanceTo(buffer.Start, buffer.End);
            await writer.FlushAsync();
            if (result.IsCompleted)
                return;
        }
    }

    /// <summary>Keeps a number of frames in flight while <paramref name="goesOn"/> returns <c>true</c>, and counts the returned frames.</summary>
    public static async Task<long> AskAsync(Socket socket, int inFlight, Func<bool> goesOn)
    {
        await using var stream = new NetworkStream(socket, ownsSocket: false);
        var (reader, writer) = (PipeReader.Create(stream, new(leaveOpen: true)), PipeWriter.Create(stream, new(leaveOpen: true)));
        var frame = new byte[FrameSize];
        BinaryPrimitives.WriteInt32LittleEndian(frame, FrameSize - 4);
        for (var i = 0; i < inFlight; i++)
            writer.Write(frame);
        await writer.FlushAsync();

        long count = 0;
        long missing = inFlight;
        while (missing > 0)
        {
            var result = await reader.ReadAsync();
            var buffer = result.Buffer;
            while (TryReadFrame(ref buffer, out _))
            {
                count++;
                missing--;
                if (!goesOn())
                    continue;
                writer.Write(frame);
                missing++;
            }

            reader.AdvanceTo(buffer.Start, buffer.End);
            await writer.FlushAsync();
        }

        return count;
    }

    private static bool TryReadFrame(ref ReadOnlySequence<byte> buffer, out ReadOnlySequence<byte> frame)
    {
        frame = default;
        Span<byte> prefix = stackalloc byte[4];
        if (buffer.Length < prefix.Length)
            return false;
        buffer.Slice(0, prefix.Length).CopyTo(prefix);
        var size = prefix.Length + BinaryPrimitives.ReadInt32LittleEndian(prefix);
        if (buffer.Length < size)
            return false;
        frame = buffer.Slice(0, size);
        buffer = buffer.Slice(size);
        return true;
    }
}
