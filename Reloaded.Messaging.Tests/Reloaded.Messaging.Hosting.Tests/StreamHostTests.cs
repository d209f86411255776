using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests;

/// <summary>Hosts over anonymous pipes. Where a read of such a pipe holds a thread of the pool, as on Mono, fifty clients wait for threads, so this class does not run there.</summary>
public sealed class StreamHostTests : HostTests
{
    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.Over(new PipePairs(), "hosts");
}
