using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Streaming;

namespace Reloaded.Messaging.Tests.SharedMemory;

public sealed class SharedMemoryStreamTests : StreamContractTests
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.SharedMemory($"streams-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}");
}
