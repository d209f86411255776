using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Tests.Channels;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.SharedMemory;

public class SharedMemoryChannelTests : ChannelContractTests
{
    private static int s_names;

    protected override MessageEndpoint NewEndpoint() => MessageEndpoint.SharedMemory(NewName());

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Memory_is_freed_once_after_the_channel_has_ended(bool aborts)
    {
        var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        var frees = new[] { pair.Client, pair.Server }.Select(static channel => FreedSignal.ReplaceIn(MapOf((SharedMemoryChannel)channel))).ToArray();
        var receives = new[] { pair.Client, pair.Server }.Select(static channel => channel.ReceiveAsync(new byte[1], default).AsTask()).ToArray();

        if (aborts)
            pair.Client.Abort();
        await pair.DisposeAsync();

        Assert.All(await Task.WhenAll(frees).InTime(), Assert.True);
        foreach (var receive in receives)
            await Record.ExceptionAsync(() => receive.InTime());
        Assert.All(receives, static receive => Assert.True(receive.IsCompleted));
    }

    /// <summary>The other process can change the map at any time.</summary>
    [Fact]
    public async Task Abort_is_noticed_by_the_other_side_even_if_the_map_does_not_say_it()
    {
        await using var pair = await ChannelPair.OpenAsync(NewEndpoint(), Factory);
        pair.Client.Abort();
        SetOpen(MapOf((SharedMemoryChannel)pair.Server));

        await Assert.ThrowsAsync<TransportClosedException>(() => pair.Server.ReceiveAsync(new byte[1], default).AsTask().InTime());
    }

    private static unsafe void SetOpen(SharedMap map) => Volatile.Write(ref *(int*)(map.Start + RingLayout.ClientRing + RingLayout.End), (int)RingEnd.Open);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_map")]
    private static extern ref SharedMap MapOf(SharedMemoryChannel channel);

    /// <summary>Notes that the memory is freed.</summary>
    private sealed class FreedSignal(IDisposable? replaced, TaskCompletionSource<bool> freed) : IDisposable
    {
        public static Task<bool> ReplaceIn(SharedMap map)
        {
            var freed = Signal.New<bool>();
            map.FreedWithMap = new FreedSignal(map.FreedWithMap, freed);
            return freed.Task;
        }

        public void Dispose()
        {
            replaced?.Dispose();
            freed.SetResult(true);
        }
    }

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
