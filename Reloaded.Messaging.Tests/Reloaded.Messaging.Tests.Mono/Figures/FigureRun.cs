using System.Globalization;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Mono.Figures;

/// <summary>Measures what the library allocates on Mono, and prints one line per figure: name, value, unit and target.</summary>
internal sealed class FigureRun : IDisposable
{
    private const int Calls = 20_000;
    private const int Frames = 10_000;
    private const int Many = 1000;

    private readonly AutoResetEvent _answered = new(false);
    private bool _isMissed;
    private int _handled;

    /// <returns>The exit code: 0 if all figures reach their targets.</returns>
    public async Task<int> RunAsync()
    {
        Dispatch();
        await PumpedGameAsync();
        await RequestsAsync();
        return _isMissed ? 1 : 0;
    }

    public void Dispose() => _answered.Dispose();

    private void Dispatch()
    {
        var writer = new MessageWriter();
        var dispatcher = new MessageDispatcher<int>();
        using var steps = dispatcher.Register(static (in Step step, ref int sum) => sum += step.Number);
        using var notices = dispatcher.Register(static (in Notice notice, ref int sum) => sum += notice.Number);
        using var step = writer.Pack(new Step(1, 2, 3));
        using var notice = writer.Pack(new Notice { Number = 1, Values = [1, 2, 3] });
        var sum = 0;
        var (struct1, pooled) = (step, notice);
        Print("pack", 0, Allocated.OnThread(Calls, () => writer.Pack(new Step(1, 2, 3)).Dispose()));
        Print("dispatch.struct", 0, Allocated.OnThread(Calls, () => dispatcher.Dispatch(struct1.Span, ref sum)));
        Print("dispatch.pooled", 0, Allocated.OnThread(Calls, () => dispatcher.Dispatch(pooled.Span, ref sum)));
    }

    /// <summary>A game that pumps, and a tool, in one process: each frame, the tool sends one message, and the game handles it and sends one.</summary>
    private async Task PumpedGameAsync()
    {
        await using var game = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), server => server.On((in Step step, Peer _) => _handled++), new MessageHostOptions { IsPumped = true });
        await using var tool = await MessageHost.ConnectAsync(game.Endpoint, client => client.On((in Sum _, Peer _) => _answered.Set()));
        Print("pump.empty.thread", 0, Allocated.OnThread(Calls, () => game.Pump(PumpBudget.All)));
        Print("send.frame.thread", 0, Allocated.OnThread(Frames, () => Send(tool, game)));
        Print("broadcast.frame.thread", 0, Allocated.OnThread(Frames, () => Broadcast(game)));
        Print("send.frame", 0, Allocated.InProcess(Frames, () => Send(tool, game)));
        Print("broadcast.frame", 0, Allocated.InProcess(Frames, () => Broadcast(game)));
    }

    private void Send(MessageClient tool, MessageServer game)
    {
        var before = _handled;
        tool.Send(new Step(1, 2, 3));
        while (_handled == before)
        {
            if (game.Pump(PumpBudget.All).Pumped == 0)
                Thread.Yield();
        }
    }

    private void Broadcast(MessageServer game)
    {
        game.Broadcast(new Sum(1));
        _answered.WaitOne();
    }

    private async Task RequestsAsync()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static server => server.OnRequest(static (in Add add, Peer _) => new Sum(add.First + add.Second)));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        Action wake = () => _answered.Set();
        Print("request.thread", 200, Allocated.OnThread(Frames, () => Request(client, wake)));
        Print("request", 200, Allocated.InProcess(Frames, () => Request(client, wake)));
        Print("request.awaited", 200, Allocated.InProcess(10, () => RequestManyAsync(client).Wait()) / Many);
    }

    /// <summary>Waits by a callback, so that no method of the program is counted.</summary>
    private void Request(MessageClient client, Action wake)
    {
        var awaiter = client.RequestAsync<Add, Sum>(new Add(1, 2)).GetAwaiter();
        if (!awaiter.IsCompleted)
        {
            awaiter.UnsafeOnCompleted(wake);
            _answered.WaitOne();
        }

        if (awaiter.GetResult().Value != 3)
            throw new InvalidOperationException("The reply is that of another request.");
    }

    /// <summary>Waits as a program does, in an async method of the program.</summary>
    private static async Task RequestManyAsync(MessageClient client)
    {
        for (var i = 0; i < Many; i++)
        {
            if ((await client.RequestAsync<Add, Sum>(new Add(i, 1))).Value != i + 1)
                throw new InvalidOperationException("The reply is that of another request.");
        }
    }

    private void Print(string name, double most, double value)
    {
        var isMissed = value > most + 0.5; // half a byte: timers and pings
        _isMissed |= isMissed;
        Console.WriteLine(FormattableString.Invariant($"mono.{name,-24} {value,8:F2} B  target <= {most}{(isMissed ? " (missed)" : "")}"));
    }
}
