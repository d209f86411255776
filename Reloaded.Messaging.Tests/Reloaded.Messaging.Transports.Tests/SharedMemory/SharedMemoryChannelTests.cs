using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Channels;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.SharedMemory;

public class SharedMemoryChannelTests : ChannelContractTests
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.SharedMemory(NewName());

    protected static string NewName() => $"channel-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}";

    /// <summary>A client needs what the server says about the map.</summary>
    protected override ChannelFactory Factory { get; } = ChannelFactory.Default with { ConnectsOnceAccepted = true };
}

/// <summary>With a ring that is often full, and threads that sleep at once.</summary>
public sealed class SmallSharedMemoryChannelTests : SharedMemoryChannelTests
{
    protected override MessageEndpoint NewEndpoint() =>
        MessageEndpoint.Over(new SharedMemoryTransport(new SharedMemoryOptions { RingSize = 128 * 1024, SpinTime = TimeSpan.Zero }), NewName());
}

/// <summary>With the wake-ups of systems that have neither futexes nor named events.</summary>
public sealed class SharedMemoryByBytesChannelTests : SharedMemoryChannelTests
{
    protected override MessageEndpoint NewEndpoint() =>
        MessageEndpoint.Over(new SharedMemoryTransport(new SharedMemoryOptions { SpinTime = TimeSpan.Zero }, WakeMode.Bytes), NewName());
}
