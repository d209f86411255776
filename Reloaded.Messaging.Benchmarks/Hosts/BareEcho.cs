using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>The floor of the echo figures: frames of 32 bytes with a length prefix over plain System.IO.Pipelines, with buffers of 64 KiB and one flush for each read.</summary>
public static class BareEcho
{
    private const int PrefixSize = sizeof(int);
    private const int BufferSize = 64 * 1024;

    public const int FrameSize = PrefixSize + 32;

    /// <summary>Returns every received frame to the sender.</summary>
    public static async Task ServeAsync(Socket socket)
    {
        await using var stream = new NetworkStream(socket, ownsSocket: true);
        var (reader, writer) = Open(stream);
        while (true)
        {
            var result = await reader.ReadAsync();
            var used = Echo(result.Buffer, writer);
            reader.AdvanceTo(used, result.Buffer.End);
            await writer.FlushAsync();
            if (result.IsCompleted)
                return;
        }
    }

    /// <summary>Keeps a number of frames in flight while <paramref name="goesOn"/> returns <c>true</c>, and counts the returned frames. Asks once for each read.</summary>
    public static async Task<long> AskAsync(Socket socket, int inFlight, Func<bool> goesOn)
    {
        await using var stream = new NetworkStream(socket, ownsSocket: false);
        var (reader, writer) = Open(stream);
        var frame = new byte[FrameSize];
        BinaryPrimitives.WriteInt32LittleEndian(frame, FrameSize - PrefixSize);
        for (var i = 0; i < inFlight; i++)
            writer.Write(frame);
        await writer.FlushAsync();

        long count = 0;
        long missing = inFlight;
        while (missing > 0)
        {
            var result = await reader.ReadAsync();
            var used = Count(result.Buffer, out var returned);
            reader.AdvanceTo(used, result.Buffer.End);
            count += returned;
            if (goesOn())
                Ask(writer, frame, returned);
            else
                missing -= returned;
            await writer.FlushAsync();
        }

        return count;
    }

    private static (PipeReader Reader, PipeWriter Writer) Open(NetworkStream stream) => (
        PipeReader.Create(stream, new StreamPipeReaderOptions(bufferSize: BufferSize, minimumReadSize: BufferSize / 4, leaveOpen: true)),
        PipeWriter.Create(stream, new StreamPipeWriterOptions(minimumBufferSize: BufferSize, leaveOpen: true)));

    /// <summary>Copies each complete frame to the writer.</summary>
    /// <returns>The end of the last complete frame.</returns>
    private static SequencePosition Echo(in ReadOnlySequence<byte> buffer, PipeWriter writer)
    {
        if (!buffer.IsSingleSegment)
            return EchoSegments(buffer, writer);

        var source = buffer.FirstSpan;
        var target = writer.GetSpan(source.Length);
        var used = 0;
        while (TryReadSize(source.Slice(used), out var size))
        {
            source.Slice(used, size).CopyTo(target.Slice(used));
            used += size;
        }

        writer.Advance(used);
        return buffer.GetPosition(used);
    }

    private static SequencePosition EchoSegments(ReadOnlySequence<byte> buffer, PipeWriter writer)
    {
        while (TryReadFrame(ref buffer, out var frame))
        {
            foreach (var part in frame)
                writer.Write(part.Span);
        }

        return buffer.Start;
    }

    /// <summary>Counts the complete frames.</summary>
    /// <returns>The end of the last complete frame.</returns>
    private static SequencePosition Count(ReadOnlySequence<byte> buffer, out int count)
    {
        count = 0;
        if (!buffer.IsSingleSegment)
        {
            for (; TryReadFrame(ref buffer, out _); count++)
            {
            }

            return buffer.Start;
        }

        var source = buffer.FirstSpan;
        var used = 0;
        for (; TryReadSize(source.Slice(used), out var size); count++)
            used += size;
        return buffer.GetPosition(used);
    }

    private static void Ask(PipeWriter writer, byte[] frame, int count)
    {
        var target = writer.GetSpan(count * FrameSize);
        for (var i = 0; i < count; i++)
            frame.CopyTo(target.Slice(i * FrameSize));
        writer.Advance(count * FrameSize);
    }

    private static bool TryReadSize(ReadOnlySpan<byte> source, out int size)
    {
        size = source.Length < PrefixSize ? int.MaxValue : PrefixSize + BinaryPrimitives.ReadInt32LittleEndian(source);
        return source.Length >= size;
    }

    private static bool TryReadFrame(ref ReadOnlySequence<byte> buffer, out ReadOnlySequence<byte> frame)
    {
        frame = default;
        Span<byte> prefix = stackalloc byte[PrefixSize];
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
