using System;
using System.Diagnostics;
using System.Threading.Tasks;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Requests;

/// <summary>Sends requests with a host, one after the other.</summary>
public sealed class HostRequests(RabbitHost host, string name)
{
    private long _number;

    /// <returns>The number of requests per second.</returns>
    public async Task<double> RunAsync(TimeSpan time)
    {
        var (watch, before) = (Stopwatch.StartNew(), _number);
        while (watch.Elapsed < time)
            await AskAsync();
        return (_number - before) / watch.Elapsed.TotalSeconds;
    }

    public async Task AskAsync()
    {
        var message = new EchoMessage(++_number, 2, 3);
        var reply = await host.RequestAsync<EchoMessage, EchoMessage>(name, message);
        if (reply != message)
            throw new InvalidOperationException($"The reply to {message} is {reply}.");
    }
}
