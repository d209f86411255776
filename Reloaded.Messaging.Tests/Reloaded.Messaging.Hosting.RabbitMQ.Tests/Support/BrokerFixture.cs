using System.Threading.Tasks;
using Examples.Broker;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The broker that tests share; none where RabbitMQ is not installed.</summary>
public sealed class BrokerFixture : IAsyncLifetime
{
    private LocalBroker? _broker;

    /// <summary>The broker; skips the test where there is none, and says how to get one.</summary>
    public LocalBroker Get()
    {
        Assert.SkipUnless(LocalBroker.Missing is null, LocalBroker.Missing ?? "");
        return _broker!;
    }

    public async ValueTask InitializeAsync()
    {
        if (LocalBroker.Missing is null)
            _broker = await LocalBroker.StartAsync();
    }

    public ValueTask DisposeAsync() => _broker?.DisposeAsync() ?? default;
}
