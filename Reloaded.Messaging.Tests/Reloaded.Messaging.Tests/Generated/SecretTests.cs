using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

[Quiet]
public sealed class SecretTests
{
    [Fact]
    public void A_secret_array_of_a_pooled_message_is_zeroed_when_it_goes_back() => Uncollected.Run(static () =>
    {
        byte[] token = [];
        var receiver = new PooledReceiver<PooledLogin>(message =>
        {
            token = message.Token!;
            Assert.Equal([1, 2, 3], token);
        });
        Assert.Equal(DispatchStatus.Handled, receiver.Receive(Payload.Of(new PooledLogin { User = "ada", Token = [1, 2, 3] })));
        Assert.Equal([0, 0, 0], token);
        Assert.True(InstancePool<PooledLogin>.TryRent(out var spare));
        Assert.Null(spare.Token);
        Assert.Equal("nobody", spare.User);
    });

    [Fact]
    public void A_message_with_a_secret_is_one_however_deep_that_lies()
    {
        Assert.True(IsSecret<Login>());
        Assert.True(IsSecret<PooledLogin>());
        Assert.True(IsSecret<HoldsLogin>());
        Assert.True(IsSecret<HoldsLogins>());
        Assert.True(IsSecret<IPerhapsSecret>());
        Assert.True(IsSecret<HoldsKeys>());
        Assert.True(IsSecret<HoldsSeal>());
        Assert.False(IsSecret<Plain>());
        Assert.False(IsSecret<Everything>());
        Assert.False(IsSecret<PooledNest>());
    }

    private static bool IsSecret<T>() => MessageContract.GetDeclared<T>().IsSecret;
}
