using System.Threading.Tasks;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A broker that closes new channels after 200 ms without an acknowledgement. The tests of a class share it, and it is reset after them.</summary>
public sealed class ShortTimeout(BrokerFixture broker) : IAsyncLifetime
{
    private bool _isSet;

    public ValueTask InitializeAsync() => default;

    /// <summary>Sets the timeout, unless an earlier test has set it.</summary>
    public async Task SetAsync()
    {
        var there = broker.Get();
        if (_isSet)
            return;
        _isSet = true;
        await there.EvaluateAsync(Setting(timeout: 200, interval: 100));
    }

    public async ValueTask DisposeAsync()
    {
        if (_isSet)
            await broker.Get().EvaluateAsync(Setting(timeout: 1_800_000, interval: 60_000));
    }

    private static string Setting(int timeout, int interval) =>
        $"application:set_env(rabbit, consumer_timeout, {timeout}), application:set_env(rabbit, channel_tick_interval, {interval})";
}
