using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

public sealed class CookieTests
{
    [Fact]
    public void Cookie_is_valid_for_ten_to_twenty_seconds()
    {
        var time = new ManualTime();
        using var cookies = new AddressValidator(time);
        byte[] address = [1, 2, 3, 4];
        var (random, cookie) = (new byte[16], new byte[AddressValidator.Size]);
        for (var generation = 0; generation < 4; generation++)
        {
            time.Advance(TimeSpan.FromSeconds(10));
            cookies.Make(address, random, cookie);
            Assert.True(cookies.IsRight(address, random, cookie, out var id));
            Assert.True(cookies.TrySpend(cookie[0], id));
            time.Advance(TimeSpan.FromSeconds(10));
            Assert.True(cookies.IsRight(address, random, cookie, out var same));
            Assert.Equal(id, same);
            Assert.False(cookies.TrySpend(cookie[0], id));
            time.Advance(TimeSpan.FromSeconds(10));
            Assert.False(cookies.IsRight(address, random, cookie, out _));
        }

        cookies.Make(address, random, cookie);
        time.Advance(TimeSpan.FromSeconds(1000));
        Assert.False(cookies.IsRight(address, random, cookie, out _)); // nobody asked meanwhile
    }

    [Fact]
    public void Cookie_expires_after_twenty_seconds_although_the_server_was_not_asked_for_ten_of_them()
    {
        var time = new ManualTime();
        using var cookies = new AddressValidator(time);
        byte[] address = [1, 2, 3, 4];
        var (random, cookie) = (new byte[16], new byte[AddressValidator.Size]);
        cookies.Make(address, random, cookie);
        time.Advance(TimeSpan.FromSeconds(19));
        Assert.True(cookies.IsRight(address, random, cookie, out _));
        time.Advance(TimeSpan.FromSeconds(1));
        Assert.False(cookies.IsRight(address, random, cookie, out _));
    }

    [Fact]
    public void Cookie_is_refused_after_the_disposal()
    {
        var time = new ManualTime();
        var cookies = new AddressValidator(time);
        byte[] address = [1, 2, 3, 4];
        var (random, older, newer) = (new byte[16], new byte[AddressValidator.Size], new byte[AddressValidator.Size]);
        cookies.Make(address, random, older);
        time.Advance(TimeSpan.FromSeconds(10));
        cookies.Make(address, random, newer);

        cookies.Dispose();

        Assert.False(cookies.IsRight(address, random, older, out _));
        Assert.False(cookies.IsRight(address, random, newer, out _));
    }

    [Fact]
    public void Cookie_is_wrong_with_any_other_byte()
    {
        var time = new ManualTime();
        using var cookies = new AddressValidator(time);
        byte[] address = [1, 2, 3, 4];
        var (random, cookie) = (new byte[16], new byte[AddressValidator.Size]);
        for (var generation = 0; generation < 4; generation++)
        {
            cookies.Make(address, random, cookie);
            for (var i = 0; i < 256 * cookie.Length; i++)
            {
                byte[] changed = [.. cookie];
                changed[i / 256] = (byte)i;
                Assert.Equal(changed[i / 256] == cookie[i / 256], cookies.IsRight(address, random, changed, out _));
            }

            time.Advance(TimeSpan.FromSeconds(10));
        }
    }
}
