using System.Linq;
using System.Net;
using System.Net.Sockets;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

public sealed class UnauthenticatedSessionsTests
{
    private static readonly TransportContext s_limits = new() { MaxUnauthenticated = 20, MaxUnauthenticatedPerAddress = 8 };

    [Fact]
    public void Source_beyond_its_capacity_loses_its_oldest_connection()
    {
        var sessions = new UnauthenticatedSessions(s_limits);
        var other = Make("other");
        Assert.Null(sessions.Add(other));
        var added = Enumerable.Range(0, s_limits.MaxUnauthenticatedPerAddress).Select(_ => Make("one")).ToArray();
        foreach (var session in added)
            Assert.Null(sessions.Add(session));

        Assert.Same(added[0], sessions.Add(Make("one")));
        sessions.Remove(added[0]); // again, which changes nothing
        sessions.Remove(added[1]);
        Assert.Null(sessions.Add(Make("one")));
        Assert.Same(other, sessions.Copy()[0]);
        Assert.Equal(1 + s_limits.MaxUnauthenticatedPerAddress, sessions.Copy().Length);
    }

    [Fact]
    public void Capacity_that_is_used_up_ends_the_oldest_connection_of_the_source_that_has_the_most()
    {
        var sessions = new UnauthenticatedSessions(s_limits);
        var oldest = Make("oldest");
        var (first, second) = (Make("two"), Make("two"));
        sessions.Add(oldest);
        sessions.Add(first);
        sessions.Add(second);
        for (var i = 3; i < s_limits.MaxUnauthenticated; i++)
            Assert.Null(sessions.Add(Make($"one {i}")));

        Assert.Same(first, sessions.Add(Make("another")));
        Assert.Same(oldest, sessions.Add(Make("yet another")));
        Assert.Equal(s_limits.MaxUnauthenticated, sessions.Copy().Length);
    }

    private static UdpSession Make(string source) => new(null!, 0, new SocketAddress(AddressFamily.InterNetwork), source, [], 0);
}
