using System;
using System.Threading.Tasks;
using Examples.Broker;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>The broker that tests share; none where RabbitMQ is not installed.</summary>
public sealed class BrokerFixture : IAsyncLifetime
{
    private LocalBroker? _broker;

    /// <summary>Returns the broker to a running test. Skips the test where RabbitMQ is not installed, and names what to install.</summary>
    public LocalBroker Get()
    {
        // A second skip, by the clean-up of a skipped test, would count as a failure.
        Assert.True(TestContext.Current.TestState is null, "The test has ended. Clean up by UndoAsync.");
        Assert.SkipUnless(LocalBroker.Missing is null, LocalBroker.Missing ?? "");
        return _broker!;
    }

    /// <summary>Cleans up after a test, if a broker runs.</summary>
    public async ValueTask UndoAsync(Func<LocalBroker, Task> undo)
    {
        if (_broker is not null)
            await undo(_broker);
    }

    public async ValueTask InitializeAsync()
    {
        if (LocalBroker.Missing is null)
            _broker = await LocalBroker.StartAsync();
    }

    public ValueTask DisposeAsync() => _broker?.DisposeAsync() ?? default;
}
