using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class AddressLockoutTests
{
    private const string Address = "192.0.2.7";

    private static readonly TimeSpan s_time = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_less = s_time - TimeSpan.FromTicks(1);

    private readonly ManualTime _time = new();

    [Fact]
    public void Five_failures_each_within_30_s_of_the_one_before_lock_an_address_out_for_30_s()
    {
        var lockout = new AddressLockout(_time);
        for (var i = 0; i < 5; i++)
        {
            Assert.False(lockout.IsLockedOut(Address));
            lockout.NoteFailure(Address);
            _time.Advance(s_less);
        }

        Assert.True(lockout.IsLockedOut(Address));
        _time.Advance(TimeSpan.FromTicks(1));
        Assert.False(lockout.IsLockedOut(Address));
    }

    [Fact]
    public void Failures_30_s_apart_lock_no_address_out()
    {
        var lockout = new AddressLockout(_time);
        for (var i = 0; i < 10; i++)
        {
            lockout.NoteFailure(Address);
            Assert.False(lockout.IsLockedOut(Address));
            _time.Advance(s_time);
        }
    }
}
