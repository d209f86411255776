using System.Diagnostics;
using System.IO;
using System.IO.Pipes;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Reloaded.Messaging.Benchmarks.Hosts.Peers;

/// <summary>A named pipe with one JSON object per line, as many tools write it by hand: a reader and a writer of text, and System.Text.Json with generated metadata.</summary>
public static partial class JsonLines
{
    /// <summary>Returns the object of each line to the sender.</summary>
    public static async Task ServeAsync(NamedPipeServerStream pipe)
    {
        await pipe.WaitForConnectionAsync();
        var (reader, writer) = Open(pipe);
        while (await reader.ReadLineAsync() is { } line)
            await writer.WriteLineAsync(Write(Read(line)));
    }

    /// <summary>Sends one request at a time.</summary>
    /// <returns>The number of replies per second.</returns>
    public static async Task<double> AskAsync(StreamReader reader, StreamWriter writer, TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        long count = 0;
        while (watch.Elapsed < time)
        {
            await writer.WriteLineAsync(Write(new EchoMessage(count, 2, 3)));
            var line = await reader.ReadLineAsync() ?? throw new EndOfStreamException("The server closed the pipe.");
            if (Read(line).A != count)
                throw new InvalidOperationException($"The reply '{line}' belongs to another request; the number of this request is {count}.");
            count++;
        }

        return count / watch.Elapsed.TotalSeconds;
    }

    public static (StreamReader Reader, StreamWriter Writer) Open(PipeStream pipe) =>
        (new StreamReader(pipe, Encoding.UTF8, leaveOpen: true), new StreamWriter(pipe, leaveOpen: true) { AutoFlush = true, NewLine = "\n" });

    private static string Write(EchoMessage message) => JsonSerializer.Serialize(message, Metadata.Default.EchoMessage);

    private static EchoMessage Read(string line) => JsonSerializer.Deserialize(line, Metadata.Default.EchoMessage);

    [JsonSerializable(typeof(EchoMessage))]
    private sealed partial class Metadata : JsonSerializerContext;
}
