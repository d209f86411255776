using System.Diagnostics;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Calls a service, and sends the same message by <c>RequestAsync</c> to an asynchronous handler of the same host. Server and client are in this process, over a Unix socket.</summary>
public sealed class ServiceFigure : IAsyncDisposable
{
    private const int InFlight = 64;

    private readonly MessageServer _server;
    private readonly MessageClient _client;
    private readonly IEcho _service;

    private ServiceFigure(MessageServer server, MessageClient client)
    {
        (_server, _client) = (server, client);
        _service = client.GetService<IEcho>();
    }

    public static async Task<ServiceFigure> StartAsync(string folder)
    {
        var server = await MessageHost.ListenAsync(MessageEndpoint.Unix(Path.Combine(folder, "service.sock")), static host =>
        {
            host.OnRequest<EchoMessage, EchoMessage>(static (message, _, _) => new ValueTask<EchoMessage>(message));
            _ = host.AddService<IEcho>(new Echo());
        });
        return new ServiceFigure(server, await MessageHost.ConnectAsync(server.Endpoint));
    }

    /// <summary>Returns the number of replies to requests per second.</summary>
    public Task<double> RequestAsync(TimeSpan time) => RunAsync(time, async number => (await _client.RequestAsync<EchoMessage, EchoMessage>(new EchoMessage(number, 2, 3))).A);

    /// <summary>Returns the number of completed calls per second.</summary>
    public Task<double> CallAsync(TimeSpan time) => RunAsync(time, async number => (await _service.EchoAsync(number, 2, 3)).A);

    /// <summary>Returns the number of completed calls per second of a method that returns a <see cref="Task"/>, as most do: both sides create one for each call.</summary>
    public Task<double> CallTaskAsync(TimeSpan time) => RunAsync(time, async number => (await _service.EchoTaskAsync(number, 2, 3)).A);

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    private static async Task<double> RunAsync(TimeSpan time, Func<long, ValueTask<long>> askAsync)
    {
        var watch = Stopwatch.StartNew();
        var counts = await Task.WhenAll(Enumerable.Range(0, InFlight).Select(_ => Task.Run(LoopAsync)));
        return counts.Sum() / watch.Elapsed.TotalSeconds;

        async Task<long> LoopAsync()
        {
            long count = 0;
            while (watch.Elapsed < time)
            {
                if (await askAsync(count) is var reply && reply != count)
                    throw new InvalidOperationException($"The reply has the number {reply}, and the request has the number {count}.");
                count++;
            }

            return count;
        }
    }

    private sealed class Echo : IEcho
    {
        public ValueTask<EchoMessage> EchoAsync(long a, long b, long c) => new(new EchoMessage(a, b, c));

        public Task<EchoMessage> EchoTaskAsync(long a, long b, long c) => Task.FromResult(new EchoMessage(a, b, c));
    }
}
