using System.Diagnostics;
using System.IO;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>The floor of one-way messages: frames that any thread may append, which another thread writes, and a handler that is called for each frame.</summary>
public sealed class BareOneWay(Socket socket)
{
    private const int Message = 0;
    private const int Query = 1; // the reply has the number of handled messages
    private const int MaxPending = 4 << 20; // as a host

    private readonly Lock _gate = new();
    private readonly BareLink _link = BareLink.Of(socket);
    private readonly BareFrameReader _input = new(BareLink.Of(socket));
    private BareFrameBuffer _pending = new();
    private BareFrameBuffer _writing = new();
    private bool _isFlushing;
    private TaskCompletionSource? _room; // completed when the pending frames are taken

    private delegate void Handler(in OneWayMessage message);

    /// <summary>Calls a handler for each message, and replies to queries.</summary>
    public static async Task ServeAsync(Socket socket)
    {
        using var owned = socket;
        var link = BareLink.Of(socket);
        var (input, output, handled) = (new BareFrameReader(link), new BareFrameBuffer(), 0L);
        Handler handler = (in OneWayMessage _) => handled++;
        while (await input.ReadAsync())
        {
            while (input.TryTake(out var id, out var payload))
            {
                if (id == Query)
                    output.Append(Query, BitConverter.GetBytes(handled));
                else
                    handler(MemoryMarshal.Read<OneWayMessage>(payload));
            }

            await output.SendAsync(link);
        }
    }

    /// <summary>Sends messages for a time, until the other side has handled all of them. Returns the number of messages per second.</summary>
    public async Task<double> SendAsync(TimeSpan time)
    {
        var before = await CountAsync();
        var watch = Stopwatch.StartNew();
        long sent = 0;
        while (watch.Elapsed < time)
        {
            for (var i = 0; i < 1000; i++)
            {
                var message = new OneWayMessage(sent++, 2, 3);
                while (!TryAppend(Message, MemoryMarshal.AsBytes(new ReadOnlySpan<OneWayMessage>(in message))))
                    await WaitForRoomAsync();
            }
        }

        var handled = await CountAsync() - before;
        if (handled != sent)
            throw new InvalidOperationException($"{sent} messages were sent, but {handled} were handled.");
        return sent / watch.Elapsed.TotalSeconds;
    }

    private async Task<long> CountAsync()
    {
        while (!TryAppend(Query, default))
            await WaitForRoomAsync();
        while (true)
        {
            if (_input.TryTake(out _, out var payload))
                return BitConverter.ToInt64(payload);
            if (!await _input.ReadAsync())
                throw new EndOfStreamException("The server closed the connection.");
        }
    }

    private bool TryAppend(int id, ReadOnlySpan<byte> payload)
    {
        lock (_gate)
        {
            if (_pending.Count > MaxPending)
                return false;
            _pending.Append(id, payload);
            if (_isFlushing)
                return true;
            _isFlushing = true;
        }

        _ = Task.Run(FlushAsync);
        return true;
    }

    private Task WaitForRoomAsync()
    {
        lock (_gate)
            return _pending.Count <= MaxPending ? Task.CompletedTask : (_room ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)).Task;
    }

    private async Task FlushAsync()
    {
        while (true)
        {
            TaskCompletionSource? room;
            lock (_gate)
            {
                if (_pending.Count == 0)
                {
                    _isFlushing = false;
                    return;
                }

                (_pending, _writing) = (_writing, _pending);
                (room, _room) = (_room, null);
            }

            room?.SetResult();

            await _writing.SendAsync(_link);
        }
    }
}
