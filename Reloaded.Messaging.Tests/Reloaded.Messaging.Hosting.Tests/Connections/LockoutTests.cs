using System.Net;
using System.Text;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class LockoutTests
{
    private static int s_names;

    [Fact]
    public void Five_failures_lock_an_identity_out_for_half_a_minute()
    {
        var time = new ManualTime();
        var failures = new AddressLockout(time);

        for (var i = 0; i < AddressLockout.DefaultFailures; i++)
        {
            Assert.False(failures.IsLockedOut("192.0.2.1"));
            failures.NoteFailure("192.0.2.1");
        }

        Assert.True(failures.IsLockedOut("192.0.2.1"));
        Assert.False(failures.IsLockedOut("192.0.2.2"));
        time.Advance(AddressLockout.LockTime);
        Assert.False(failures.IsLockedOut("192.0.2.1"));
        failures.NoteFailure("192.0.2.1");
        Assert.False(failures.IsLockedOut("192.0.2.1"));
    }

    [Theory]
    [InlineData(1, 5)]
    [InlineData(256, 5)]
    [InlineData(1024, 20)]
    public void MaxPeersPerAddress_sets_the_number_of_failures(int peers, int expected)
    {
        var failures = new MessageHostOptions { Limits = new HostLimits { MaxPeersPerAddress = peers } }.MakeTransportContext().Lockout;
        for (var i = 0; i < expected; i++)
        {
            Assert.False(failures.IsLockedOut("192.0.2.1"));
            failures.NoteFailure("192.0.2.1");
        }

        Assert.True(failures.IsLockedOut("192.0.2.1"));
    }

    [Fact]
    public void A_success_begins_anew_and_this_machine_is_never_locked_out()
    {
        var failures = new AddressLockout(new ManualTime());

        for (var i = 0; i < AddressLockout.DefaultFailures * 2; i++)
        {
            if (i == AddressLockout.DefaultFailures - 1)
                failures.NoteSuccess("192.0.2.1");
            else
                failures.NoteFailure("192.0.2.1");
            failures.NoteFailure(null);
        }

        Assert.True(failures.IsLockedOut("192.0.2.1"));
        Assert.False(failures.IsLockedOut(null));
        failures.NoteSuccess("192.0.2.1");
        Assert.False(failures.IsLockedOut("192.0.2.1"));
    }

    [Fact]
    public void A_crowd_of_strangers_is_remembered_up_to_a_bound()
    {
        var time = new ManualTime();
        var failures = new AddressLockout(time);
        for (var i = 0; i < AddressLockout.DefaultFailures; i++)
            failures.NoteFailure("first");

        for (var i = 0; i < AddressLockout.Capacity - 1; i++)
        {
            time.Advance(TimeSpan.FromMilliseconds(1));
            failures.NoteFailure($"stranger {i}");
        }

        Assert.True(failures.IsLockedOut("first"));
        failures.NoteFailure("one more");
        Assert.False(failures.IsLockedOut("first")); // the oldest had to go
    }

    [Fact]
    public void Failures_of_two_addresses_of_one_IPv6_network_lock_out_the_network()
    {
        var failures = new AddressLockout(new ManualTime());

        for (var i = 1; i <= AddressLockout.DefaultFailures; i++)
            failures.NoteFailure(AddressGroup.Of(IPAddress.Parse($"2001:db8:1:2::{i}")));

        Assert.True(failures.IsLockedOut(AddressGroup.Of(IPAddress.Parse("2001:db8:1:2:3::9"))));
        Assert.False(failures.IsLockedOut(AddressGroup.Of(IPAddress.Parse("2001:db8:1:3::1"))));
    }

    [Fact]
    public async Task A_server_refuses_one_that_is_locked_out_and_says_so()
    {
        var endpoint = MessageEndpoint.InProcess($"lockout-{Interlocked.Increment(ref s_names)}");
        var time = new ManualTime();
        var options = new MessageHostOptions { Token = Encoding.UTF8.GetBytes("right"), TimeProvider = time };
        var context = options.MakeTransportContext();
        await using var server = Servers.Make(new FarListener(await endpoint.ListenAsync(context), "192.0.2.7"), options, context);
        server.Start();
        var wrong = new MessageHostOptions { Token = Encoding.UTF8.GetBytes("wrong") };

        for (var i = 0; i < AddressLockout.DefaultFailures; i++)
        {
            Assert.Equal(DisconnectReason.WrongToken, await ReasonAsync(wrong));
            await Signal.UntilAsync(() => server.GetCount(DisconnectReason.WrongToken) == i + 1 && server.GetStatistics().Peers == 0);
        }

        await Signal.UntilAsync(() => context.Lockout.IsLockedOut("192.0.2.7")); // noted behind the counter
        var right = new MessageHostOptions { Token = Encoding.UTF8.GetBytes("right") };
        Assert.Equal(DisconnectReason.LockedOut, await ReasonAsync(right));
        await Signal.UntilAsync(() => server.GetCount(DisconnectReason.LockedOut) == 1);
        time.Advance(AddressLockout.LockTime);
        await using var client = await MessageHost.ConnectAsync(endpoint, options: right).InTime();

        async Task<DisconnectReason> ReasonAsync(MessageHostOptions options) =>
            (await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(endpoint, options: options).InTime())).Reason;
    }
}
