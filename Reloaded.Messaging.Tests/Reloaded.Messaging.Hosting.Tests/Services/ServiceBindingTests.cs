using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Services;

public sealed class ServiceBindingTests
{
    [Fact]
    public async Task Event_accessor_may_wait_for_another_thread_that_removes_the_same_service()
    {
        await using var host = await MessageHost.ListenAsync(MessageEndpoint.InProcess("service-binding"));
        var binding = new ServiceBinding(host);
        var isJoined = false;
        binding.OnRaised<Note>(static () => { }, () =>
        {
            var thread = new Thread(binding.Remove);
            thread.Start();
            isJoined = thread.Join(Deadline.Length);
        });

        binding.Remove();

        Assert.True(isJoined);
    }
}
