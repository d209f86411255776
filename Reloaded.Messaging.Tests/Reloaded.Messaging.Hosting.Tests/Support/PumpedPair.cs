using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Two hosts, and a thread for each pump if they are pumped.</summary>
internal sealed class PumpedPair(HostPair hosts) : IAsyncDisposable
{
    private readonly Pump?[] _pumps = hosts.Server.Options.IsPumped ? [Pump.Of(hosts.Server), Pump.Of(hosts.Client)] : [];

    public MessageServer Server => hosts.Server;

    public MessageClient Client => hosts.Client;

    public async ValueTask DisposeAsync()
    {
        foreach (var pump in _pumps)
            pump?.Dispose();
        await hosts.DisposeAsync();
    }
}
