using System.Diagnostics.CodeAnalysis;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

public sealed class BytePipeModelTests
{
    private const int MaxSize = 256 * 1024;

    /// <summary>The model: a queue of bytes with a limit, and two flags. A wait for bytes ends with the first byte. A wait for room begins when the pipe is full, and ends when half of it is free. Both end when a side has closed.</summary>
    [Fact]
    [SuppressMessage("Reliability", "CA2012:Use ValueTasks correctly", Justification = "Each wait is kept until the model says that it has ended, and is then consumed once.")]
    public void BytePipe_is_a_queue_of_bytes_with_a_limit()
    {
        ModelRun.Compare(60, 300, static random =>
        {
            var (pipe, model, next, read) = (new BytePipe(), new Queue<byte>(), (byte)0, 0L);
            var (writer, reader, failure) = (false, false, (string?)null);
            ValueTask? readable = null;
            ValueTask? writable = null;
            return () =>
            {
                var text = random.Next(100) switch
                {
                    < 40 => Write(random.NextUpTo(random.Pick([1, 100, 4096, 100_000, MaxSize]))),
                    < 80 => Read(random.NextUpTo(random.Pick([1, 100, 4096, 100_000, MaxSize]))),
                    < 89 => WaitToRead(),
                    < 98 => WaitToWrite(),
                    98 => CloseWriter(),
                    _ => CloseReader(),
                };
                Assert.Equal((model.Count > 0, writer, reader, failure, read), (pipe.HasUnread, pipe.IsWriterClosed, pipe.IsReaderClosed, pipe.Failure, pipe.ReadBytes));
                if (readable is { } forBytes && (model.Count > 0 || writer || reader))
                    readable = End(forBytes);
                if (writable is { } forRoom && (model.Count <= MaxSize / 2 || writer || reader))
                    writable = End(forRoom);
                Assert.False(readable is { IsCompleted: true }, "A wait for bytes ended without bytes.");
                Assert.False(writable is { IsCompleted: true }, "A wait for room ended without room.");
                return text;
            };

            string Write(int size)
            {
                var bytes = new byte[size];
                for (var i = 0; i < size; i++)
                    bytes[i] = (byte)(next + i);
                var expected = writer || reader ? 0 : Math.Min(size, MaxSize - model.Count);
                Assert.Equal(expected, pipe.Write(bytes));
                for (var i = 0; i < expected; i++)
                    model.Enqueue(bytes[i]);
                next += (byte)expected;
                return $"Write {size}";
            }

            string Read(int size)
            {
                var bytes = new byte[size];
                var count = Math.Min(size, model.Count);
                Assert.Equal(count, pipe.Read(bytes));
                var isEqual = true;
                for (var i = 0; i < count; i++)
                    isEqual &= model.Dequeue() == bytes[i];
                Assert.True(isEqual);
                read += count;
                return $"Read {size}";
            }

            string WaitToRead()
            {
                readable ??= pipe.WaitToReadAsync(default);
                return "WaitToRead";
            }

            string WaitToWrite()
            {
                if (writable is not null)
                    return "";
                writable = pipe.WaitToWriteAsync(default);
                if (model.Count < MaxSize || writer || reader)
                    writable = End(writable.Value);
                return "WaitToWrite";
            }

            string CloseWriter()
            {
                if (writer)
                    return "";
                writer = true;
                failure = random.Next(2) == 0 ? null : "broken";
                pipe.CloseWriter(failure);
                return $"CloseWriter {failure}";
            }

            string CloseReader()
            {
                reader = true;
                model.Clear();
                pipe.CloseReader();
                return "CloseReader";
            }

            // The results of waits are set on this thread; their continuations run elsewhere.
            static ValueTask? End(ValueTask wait)
            {
                Assert.True(wait.IsCompleted, "A wait did not end.");
                wait.GetAwaiter().GetResult();
                return null;
            }
        });
    }
}
