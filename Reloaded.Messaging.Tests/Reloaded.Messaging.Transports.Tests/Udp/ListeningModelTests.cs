using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>What a listener knows of its new clients, compared with naive structures.</summary>
public sealed class ListeningModelTests
{
    /// <summary>The model: every cookie with its ten seconds. It is valid in them and in the next ten.</summary>
    [Fact]
    public void AddressValidator_accepts_the_cookies_of_the_last_ten_to_twenty_seconds()
    {
        ModelRun.Compare(60, 400, static random =>
        {
            var time = new ManualTime();
            time.Advance(TimeSpan.FromSeconds(random.Next(100)));
            var cookies = new AddressValidator(time);
            var (made, spent, now) = (new List<(Client Client, long Period, byte[] Bytes)>(), new HashSet<(Client, long)>(), TimeSpan.Zero);
            return () =>
            {
                var passed = TimeSpan.FromSeconds(random.Pick([0, 0, 0, 0.1, 5, 9.9999999, 10, 10.0000001, 19.9, 20, 29.9, 1000]));
                time.Advance(passed);
                now += passed;
                var period = now.Ticks / TimeSpan.FromSeconds(10).Ticks;
                var client = new Client((byte)random.Next(2), (byte)random.Next(2));
                if (made.Count == 0 || random.Next(3) == 0)
                {
                    var bytes = new byte[AddressValidator.Size];
                    cookies.Make(client.GetAddress(), client.GetRandom(), bytes);
                    made.Add((client, period, bytes));
                    return $"Make {client} after {passed}";
                }

                var cookie = random.Next(5) == 0 ? random.Pick(made) : made[^random.Next(1, Math.Min(4, made.Count) + 1)];
                if (random.Next(3) > 0)
                    client = cookie.Client;
                var isRight = client == cookie.Client && period - cookie.Period <= 1;
                Assert.Equal(isRight, cookies.IsRight(client.GetAddress(), client.GetRandom(), cookie.Bytes, out var id));
                if (isRight)
                {
                    Assert.True(cookies.HasRoom(cookie.Bytes[0]));
                    Assert.Equal(spent.Add((client, cookie.Period)), cookies.TrySpend(cookie.Bytes[0], id));
                }

                return $"Use {cookie.Client} of {cookie.Period} as {client} after {passed}: {isRight}";
            };
        });
    }

    private readonly record struct Client(byte Address, byte Random)
    {
        public byte[] GetAddress() => [1, 2, 3, Address];

        public byte[] GetRandom() => [.. new byte[DatagramFormat.RandomSize - 1], Random];
    }
}
