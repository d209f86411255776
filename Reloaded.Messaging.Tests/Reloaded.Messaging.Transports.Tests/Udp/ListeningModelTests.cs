using System.Linq;
using System.Net;
using System.Net.Sockets;
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

    /// <summary>The model: a list of the connections, which is searched.</summary>
    [Fact]
    public void UnauthenticatedSessions_are_limited_for_each_source_and_together()
    {
        ModelRun.Compare(60, 400, static random =>
        {
            var limits = new TransportContext { MaxUnauthenticated = random.Pick([1, 2, 7, 12]), MaxUnauthenticatedPerAddress = random.Pick([1, 2, 4]) };
            var (sessions, model, all) = (new UnauthenticatedSessions(limits), new List<UdpSession>(), new List<UdpSession>());
            return () =>
            {
                string text;
                if (all.Count == 0 || random.Next(3) > 0)
                {
                    var added = new UdpSession(null!, 0, new SocketAddress(AddressFamily.InterNetwork), $"source {random.Next(random.Pick([2, 8]))}", [], 0);
                    var expected = model.Count(session => session.Source == added.Source) >= limits.MaxUnauthenticatedPerAddress ? model.Find(session => session.Source == added.Source)
                        : model.Count >= limits.MaxUnauthenticated ? model.Find(session => CountLike(session) == model.Max(CountLike))
                        : null;
                    Assert.Same(expected, sessions.Add(added));
                    if (expected is not null)
                        model.Remove(expected);
                    model.Add(added);
                    all.Add(added);
                    text = $"Add {added.Source}";
                }
                else
                {
                    var removed = random.Pick(all); // it may be removed already
                    sessions.Remove(removed);
                    model.Remove(removed);
                    text = $"Remove {removed.Source}";
                }

                Assert.Equal(model, sessions.Copy());
                var asked = random.Pick(all);
                Assert.Equal(model.Contains(asked), sessions.Contains(asked));
                return text;

                int CountLike(UdpSession one) => model.Count(session => session.Source == one.Source);
            };
        });
    }

    private readonly record struct Client(byte Address, byte Random)
    {
        public byte[] GetAddress() => [1, 2, 3, Address];

        public byte[] GetRandom() => [.. new byte[DatagramFormat.RandomSize - 1], Random];
    }
}
