using System.Diagnostics;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Sends one-way messages as fast as possible, until the other side has received all of them. Returns the number of messages per second.</summary>
public static class OneWay
{
    public static async Task<double> OursAsync(MessageClient client, TimeSpan time)
    {
        var before = (await client.RequestAsync<HandledQuery, HandledReport>(default)).Count;
        var watch = Stopwatch.StartNew();
        long sent = 0;
        while (watch.Elapsed < time)
        {
            for (var i = 0; i < 1000; i++)
                await client.SendAsync(new OneWayMessage(sent++, 2, 3));
        }

        // This request follows all messages on the same connection, so its reply confirms that they were handled.
        var handled = (await client.RequestAsync<HandledQuery, HandledReport>(default, TimeSpan.FromSeconds(30))).Count - before;
        if (handled != sent)
            throw new InvalidOperationException($"{sent} messages were sent, but {handled} were handled.");
        return sent / watch.Elapsed.TotalSeconds;
    }
}
