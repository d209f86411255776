using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using Reloaded.Messaging.Benchmarks.Hosts;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Confirmed;

/// <summary>Publishes at least once with a host. The host has the <see cref="Options"/>.</summary>
public sealed class HostConfirmed(RabbitHost host, string topic) : IConfirmedPublisher
{
    private const int Overhead = 256; // what the host counts for each message in addition to its size

    private long _number;

    /// <summary>Options with room for two windows: the unconfirmed messages, of which a host allows as many as the window, and the messages that follow them.</summary>
    public static RabbitOptions Options { get; } = new()
    {
        Limits = HostLimits.Default with { MaxPendingBytes = 2 * IConfirmedPublisher.Window * (1 + Unsafe.SizeOf<OneWayMessage>() + Overhead) },
    };

    /// <summary>Publishes a number of messages, without waiting for the last confirms.</summary>
    public async Task SendAsync(int count)
    {
        for (var i = 0; i < count; i++)
            await host.PublishAsync(topic, new OneWayMessage(++_number, 2, 3), DeliveryKind.AtLeastOnce);
    }

    public async Task<long> PublishAsync(TimeSpan time)
    {
        var (watch, before) = (Stopwatch.StartNew(), _number);
        while (watch.Elapsed < time)
            await SendAsync(IConfirmedPublisher.Block);
        await host.FlushAsync();
        return _number - before;
    }
}
