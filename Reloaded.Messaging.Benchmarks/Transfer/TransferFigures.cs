using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using Reloaded.Messaging.Benchmarks.Figures;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Transfer;

/// <summary>Group <c>transfer</c>: streams of items compared with one-way events, and files compared with plain sockets, over a Unix socket.</summary>
internal sealed class TransferFigures(Action<Figure> print) : FigureGroup(print)
{
    private const int ItemsPerRun = 200_000;
    private const int FileSize = 32 << 20;
    private const int ChunkSize = 128 * 1024; // of the library's transfers
    private const int Window = 4; // chunks, as in the library's transfers

    private long _handled;
    private long _awaited;
    private TaskCompletionSource _allHandled = new();

    public override string Method => $"`stream.items` is compared with events of the same type that the same server sends to the same client; `stream.file` with plain sockets that send the same file in frames of the same size, of which as many wait for an acknowledgement. Received bytes are dropped. Both sides run in one process. {PairedRuns.Method}";

    public override void Measure()
    {
        if (!OnlyAllocations)
            MeasureAsync().GetAwaiter().GetResult();
    }

    private async Task MeasureAsync()
    {
        var folder = Directory.CreateTempSubdirectory("rm-transfer").FullName;
        try
        {
            var file = Path.Combine(folder, "file");
            await File.WriteAllBytesAsync(file, new byte[FileSize]);
            await using var server = await MessageHost.ListenAsync(MessageEndpoint.Unix(Path.Combine(folder, "host")), static host =>
            {
                _ = host.OnStream(static (HandledQuery _, CancellationToken _) => ItemsAsync());
                _ = host.OnFile(static (offer, token) => offer.SaveAsync(Stream.Null, cancellationToken: token));
            });
            await using var client = await MessageHost.ConnectAsync(server.Endpoint, host => host.On((in OneWayMessage _, Peer _) => Count()));
            var peer = server.Peers.Single();
            ReportPaired("stream.items", await RunDuelAsync(time => EventsAsync(peer, time), time => ItemsAsync(client, time)), 0.7);
            using var sink = BareSockets.Listen(MessageEndpoint.Unix(Path.Combine(folder, "bare")));
            using var stopped = new CancellationTokenSource();
            _ = BareSockets.AcceptAllAsync(sink, DropAsync, stopped.Token);
            using var socket = await BareSockets.ConnectAsync(MessageEndpoint.Unix(Path.Combine(folder, "bare")));
            var files = await RunDuelAsync(time => RepeatAsync(time, () => SendBareAsync(socket, file)), time => RepeatAsync(time, () => client.SendFileAsync(file)));
            Report("stream.file.ratio", "ratio", files.Ratios, 0.9, isAtLeast: true);
            Report("stream.file.floor.rate", "MB/s", files.Floor);
            Report("stream.file.rate", "MB/s", files.Ours);
            await stopped.CancelAsync();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    private static async IAsyncEnumerable<OneWayMessage> ItemsAsync()
    {
        await Task.CompletedTask;
        for (var i = 0; i < ItemsPerRun; i++)
            yield return new OneWayMessage(i, 2, 3);
    }

    private static async Task<double> ItemsAsync(MessageClient client, TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        long count = 0;
        while (watch.Elapsed < time)
        {
            await foreach (var item in client.StreamAsync<HandledQuery, OneWayMessage>(default))
                count++;
        }

        return count / watch.Elapsed.TotalSeconds;
    }

    private void Count()
    {
        if (++_handled == Volatile.Read(ref _awaited))
            _allHandled.SetResult();
    }

    private async Task<double> EventsAsync(Peer peer, TimeSpan time)
    {
        var watch = Stopwatch.StartNew();
        long count = 0;
        while (watch.Elapsed < time)
        {
            _allHandled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Volatile.Write(ref _awaited, _handled + ItemsPerRun);
            for (var i = 0; i < ItemsPerRun; i++)
                await peer.SendAsync(new OneWayMessage(i, 2, 3));
            await _allHandled.Task;
            count += ItemsPerRun;
        }

        return count / watch.Elapsed.TotalSeconds;
    }

    /// <summary>Returns megabytes per second.</summary>
    private static async Task<double> RepeatAsync(TimeSpan time, Func<Task> send)
    {
        var watch = Stopwatch.StartNew();
        long bytes = 0;
        while (watch.Elapsed < time)
        {
            await send();
            bytes += FileSize;
        }

        return bytes / 1e6 / watch.Elapsed.TotalSeconds;
    }

    /// <summary>Sends a file in frames, of which a few wait for their acknowledgement.</summary>
    private static async Task SendBareAsync(Socket socket, string path)
    {
        var (chunk, output, link) = (new byte[ChunkSize], new BareFrameBuffer(), BareLink.Of(socket));
        using var window = new SemaphoreSlim(Window);
        await using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 1);
        var acknowledged = ReadAcknowledgementsAsync(link, window);
        for (var i = 0; i < FileSize / ChunkSize; i++)
        {
            await file.ReadExactlyAsync(chunk);
            await window.WaitAsync();
            output.Append(i, chunk);
            await output.SendAsync(link);
        }

        await acknowledged;
    }

    private static async Task ReadAcknowledgementsAsync(BareLink link, SemaphoreSlim window)
    {
        var input = new BareFrameReader(link);
        for (var next = 0; next < FileSize / ChunkSize;)
        {
            if (!await input.ReadAsync())
                throw new EndOfStreamException("The receiver closed the connection.");
            for (; input.TryTake(out var id, out _); next++)
            {
                if (id != next)
                    throw new InvalidDataException($"Chunk {id} is acknowledged, and chunk {next} is expected.");
                window.Release();
            }
        }
    }

    /// <summary>Acknowledges each frame, and drops its bytes.</summary>
    private static async Task DropAsync(Socket socket)
    {
        var link = BareLink.Of(socket);
        var (input, output) = (new BareFrameReader(link), new BareFrameBuffer());
        while (await input.ReadAsync())
        {
            while (input.TryTake(out var id, out _))
                output.Append(id, default);
            await output.SendAsync(link);
        }
    }
}
