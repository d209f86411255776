using System.Diagnostics;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.SharedMemory;

/// <summary>A client whose handlers play with the server's.</summary>
public sealed class NoteClient : IAsyncDisposable
{
    private readonly Stopwatch _watch = new();
    private TaskCompletionSource<double> _done = new();
    private TimeSpan _time;
    private int _count;

    public MessageClient Host { get; private set; } = null!;

    public static async Task<NoteClient> ConnectAsync(MessageEndpoint endpoint, MessageHostOptions? options = null)
    {
        var client = new NoteClient();
        client.Host = await MessageHost.ConnectAsync(endpoint, host => host.On<Note>(client.Continue), options);
        return client;
    }

    /// <summary>Round trips a second of a note that handlers send there and back.</summary>
    public Task<double> PingPongAsync(TimeSpan time)
    {
        (_done, _time, _count) = (new(TaskCreationOptions.RunContinuationsAsynchronously), time, 0);
        _watch.Restart();
        _ = Host.Send(new Note { Number = 0 });
        return _done.Task;
    }

    /// <summary>Notes a second, until the server has handled all.</summary>
    public async Task<double> OneWayAsync(TimeSpan time)
    {
        var before = (await Host.RequestAsync<HandledQuery, HandledReport>(default)).Count;
        var watch = Stopwatch.StartNew();
        var sent = 0;
        while (watch.Elapsed < time)
        {
            for (var i = 0; i < 1000; i++, sent++)
            {
                var note = new CountedNote { Number = sent };
                if (Host.Send(in note) != SendStatus.Sent)
                    await Host.SendAsync(note);
            }
        }

        // Behind all of them in the same connection: when it is answered, they were handled.
        var handled = (await Host.RequestAsync<HandledQuery, HandledReport>(default, TimeSpan.FromSeconds(30))).Count - before;
        return handled == sent ? sent / watch.Elapsed.TotalSeconds : throw new InvalidOperationException($"{sent} notes were sent and {handled} handled.");
    }

    /// <summary>The microseconds that each of so many awaited requests took, and the bytes that this process allocated for each.</summary>
    public async Task<(List<double> Microseconds, double Bytes)> AskAsync(int count)
    {
        var times = new List<double>(count);
        var before = GC.GetTotalAllocatedBytes(precise: true);
        for (var i = 0; i < count; i++)
        {
            var start = Stopwatch.GetTimestamp();
            var reply = await Host.RequestAsync<NoteRequest, NoteRequest>(new NoteRequest { Number = i });
            times.Add(Stopwatch.GetElapsedTime(start).TotalMicroseconds);
            if (reply.Number != i)
                throw new InvalidOperationException("Another request's reply came.");
        }

        var bytes = (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)count;
        times.Sort();
        return (times, bytes);
    }

    public ValueTask DisposeAsync() => Host.DisposeAsync();

    private void Continue(in Note note, Peer from)
    {
        if (note.Number != _count++)
            _done.TrySetException(new InvalidOperationException("Another note came back."));
        else if (_count % 64 != 0 || _watch.Elapsed < _time)
            _ = from.Send(new Note { Number = _count });
        else
            _done.TrySetResult(_count / _watch.Elapsed.TotalSeconds);
    }
}
