using System.Net;
using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class AddressGroupTests
{
    [Theory]
    [InlineData("192.0.2.1", "192.0.2.1")]
    [InlineData("::ffff:192.0.2.1", "192.0.2.1")]
    [InlineData("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64")]
    [InlineData("2001:db8:1:2::1", "2001:db8:1:2::/64")]
    [InlineData("2001:db8:1:3::1", "2001:db8:1:3::/64")]
    [InlineData("fe80::1%3", "fe80::/64")]
    public void Address_of_another_machine_has_a_group(string address, string group)
    {
        Assert.Equal(group, AddressGroup.Of(IPAddress.Parse(address)));
        Assert.Equal(group, AddressGroup.Of(new IPEndPoint(IPAddress.Parse(address), 4000)));
    }

    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("127.8.9.10")]
    [InlineData("::ffff:127.8.9.10")]
    [InlineData("::1")]
    public void Address_of_this_machine_has_no_group(string address) => Assert.Null(AddressGroup.Of(IPAddress.Parse(address)));

    [Fact]
    public void Endpoint_without_an_address_has_no_group()
    {
        Assert.Null(AddressGroup.Of((EndPoint?)null));
        Assert.Null(AddressGroup.Of(new DnsEndPoint("example.org", 80)));
    }
}
