using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Models;

/// <summary>The collections of peers behave as naive ones. Peers and connections are only keys here, so most are created without a constructor.</summary>
public sealed class PeerModelTests
{
    /// <summary>The model: a set. An enumeration has the peers of its start, whatever changes meanwhile.</summary>
    [Fact]
    public void PeerGroup_is_a_set_that_is_enumerated_as_it_was()
    {
        var peers = Enumerable.Range(0, 600).Select(static _ => Create<Peer>()).ToArray();
        ModelRun.Compare(60, 3000, random =>
        {
            var group = new PeerGroup(Create<MessageServer>());
            var (model, most, grows) = (new HashSet<Peer>(), random.Pick([1, 4, 5, 70, 600]), true);
            var reading = new List<(Reader Reader, HashSet<Peer> Expected)>();
            return () =>
            {
                grows = random.Next(300) == 0 ? !grows : grows;
                var peer = peers[random.Next(most)];
                switch (random.Next(20))
                {
                    case 0 when reading.Count < 4:
                        reading.Add((new Reader(group), [.. model]));
                        break;
                    case 1 when reading.Count > 0:
                        var ended = random.Pick(reading);
                        reading.Remove(ended);
                        Assert.True(ended.Expected.SetEquals(ended.Reader.ReadAll(random.Next(3) == 0 ? random.NextUpTo(ended.Expected.Count) : int.MaxValue, ended.Expected, out var all)) || !all);
                        break;
                    case < 14 when grows:
                    case < 6:
                        Assert.Equal(model.Add(peer), group.Add(peer));
                        break;
                    default:
                        Assert.Equal(model.Remove(peer), group.Remove(peer));
                        break;
                }

                Assert.Equal((model.Count, model.Contains(peer)), (group.Count, group.Contains(peer)));
                return $"{model.Count} peers, {reading.Count} readers";
            };
        });
    }

    /// <summary>The model: the bans by their names, with the time of their end.</summary>
    [Fact]
    public async Task BanList_is_a_dictionary_with_a_clock()
    {
        var time = new ModelTime();
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"bans-{Guid.NewGuid():N}"), null, new MessageHostOptions { TimeProvider = time });
        ModelRun.Compare(4, 1500, random =>
        {
            var (bans, model, next) = (new BanList(server), new Dictionary<string, DateTimeOffset>(), 0);
            var filled = random.Pick([0, BanList.Capacity - 5]);
            while (model.Count < filled)
                Add($"other {next}", TimeSpan.FromDays(100 + next));
            return () =>
            {
                var name = random.Next(20).ToString(System.Globalization.CultureInfo.InvariantCulture);
                switch (random.Next(6))
                {
                    case 0 or 1:
                        Add(random.Next(4) == 0 ? name : $"new {next}", random.Next(10) == 0 ? TimeSpan.MaxValue - new TimeSpan(next) : TimeSpan.FromSeconds(random.NextUpTo(100) + 1) + new TimeSpan(next));
                        break;
                    case 2:
                        Assert.Equal(Find(name) is not null && model.Remove(name), bans.Remove(name));
                        break;
                    case 3:
                        time.Now += TimeSpan.FromSeconds(random.NextUpTo(20));
                        break;
                    case 4 when random.Next(20) == 0:
                        Assert.Equal(model.Where(one => one.Value > time.Now).Select(static one => one.Key).Order(StringComparer.Ordinal), bans.GetAll().Select(static ban => ban.Name).Order(StringComparer.Ordinal));
                        break;
                }

                foreach (var one in new[] { name, $"other {random.Next(next + 1)}", $"new {random.Next(next + 1)}" })
                    Assert.Equal(Find(one), bans.Find(one)?.EndsAt);
                Assert.Null(bans.Find((string?)null));
                return $"{name} of {model.Count}";
            };

            DateTimeOffset? Find(string name)
            {
                if (!model.TryGetValue(name, out var end))
                    return null;
                if (end > time.Now)
                    return end;
                model.Remove(name);
                return null;
            }

            void Add(string name, TimeSpan duration)
            {
                next++;
                var end = duration < DateTimeOffset.MaxValue - time.Now ? time.Now + duration : DateTimeOffset.MaxValue;
                if (model.Count == BanList.Capacity && !model.ContainsKey(name))
                    model.Remove(model.MinBy(static one => one.Value).Key);
                model[name] = end;
                Assert.Equal(end, bans.Add(name, duration).EndsAt);
            }
        });
    }

    /// <summary>The model: the unauthenticated connections in the order of their arrival, and the peers.</summary>
    [Fact]
    public void Admission_counts_each_address_and_ends_the_oldest()
    {
        ModelRun.Compare(100, 600, static random =>
        {
            var limits = new HostLimits { MaxPeers = random.Next(1, 9), MaxPeersPerAddress = random.Next(1, 5), MaxUnauthenticated = random.Next(1, 9), MaxUnauthenticatedPerAddress = random.Next(1, 5) };
            var admission = new Admission(limits);
            var (waiting, peers) = (new List<(Connection Connection, string? Address)>(), new List<(Connection Connection, string? Address)>());
            return () =>
            {
                var address = random.Pick<string?>([null, "a", "b", "c"]);
                switch (random.Next(6))
                {
                    case 0 or 1:
                        var connection = Create<Connection>();
                        Login(connection) = new LoginProgress();
                        var (evicted, reason) = FindEvicted(address);
                        Assert.Same(evicted, admission.Enter(connection, address, out var found));
                        if (evicted is not null)
                            Assert.Equal(reason, found);
                        waiting.RemoveAll(one => one.Connection == evicted);
                        waiting.Add((connection, address));
                        break;
                    case 2 when waiting.Count > 0:
                        random.Pick(waiting).Connection.Login.TryReceive();
                        break;
                    case 3 or 4 when waiting.Count > 0:
                        var admitted = random.Pick(waiting);
                        var refusal = FindRefusal(admitted.Address);
                        Assert.Equal(refusal, admission.TryAdmit(admitted.Connection));
                        if (refusal is null)
                        {
                            waiting.Remove(admitted);
                            peers.Add(admitted);
                        }

                        break;
                    case 5 when waiting.Count + peers.Count > 0:
                        var left = random.Pick([.. waiting, .. peers]);
                        admission.Leave(left.Connection);
                        if (random.Next(2) == 0)
                            admission.Leave(left.Connection);
                        waiting.Remove(left);
                        peers.Remove(left);
                        break;
                }

                Assert.Equal(FindRefusal(address), admission.FindRefusal(address));
                return $"{waiting.Count} wait, {peers.Count} peers";
            };

            DisconnectReason? FindRefusal(string? address) => peers.Count >= limits.MaxPeers ? DisconnectReason.TooManyPeers
                : address is not null && peers.Count(one => one.Address == address) >= limits.MaxPeersPerAddress ? DisconnectReason.TooManyPeersFromAddress
                : null;

            (Connection? Connection, DisconnectReason Reason) FindEvicted(string? address)
            {
                if (address is not null && waiting.Count(one => one.Address == address) >= limits.MaxUnauthenticatedPerAddress)
                    return (waiting.Where(one => one.Address == address).OrderBy(static one => one.Connection.Login.HasCredentials).First().Connection, DisconnectReason.TooManyUnauthenticatedFromAddress);
                return waiting.Count < limits.MaxUnauthenticated ? default
                    : (waiting.OrderBy(static one => one.Connection.Login.HasCredentials).ThenByDescending(one => waiting.Count(other => other.Address == one.Address)).First().Connection, DisconnectReason.TooManyUnauthenticated);
            }
        });

        [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "Login")]
        static extern ref LoginProgress Login(Connection connection);
    }

    /// <summary>The model: the delivery of each type, with streams in the order of their first use.</summary>
    [Fact]
    public void EventDeliveries_give_each_type_its_stream()
    {
        ModelRun.Compare(20, 1500, static random =>
        {
            var deliveries = new EventDeliveries();
            var (model, sequenced, reliable) = (new Dictionary<uint, Delivery>(), new List<uint>(), new List<uint>());
            return () =>
            {
                var type = (uint)random.NextUpTo(random.Pick([5, 400]));
                var mode = random.Pick(Enum.GetValues<DeliveryMode>());
                var contract = new MessageContract<int>(type, new BlittableSerializer<int>());
                if (mode == DeliveryMode.Sequenced && !sequenced.Contains(type) && sequenced.Count == EventDeliveries.MaxSequenced)
                {
                    Assert.Throws<InvalidOperationException>(() => deliveries.Set(contract, mode));
                }
                else
                {
                    deliveries.Set(contract, mode);
                    model[type] = mode switch
                    {
                        DeliveryMode.Sequenced => Delivery.Sequenced((byte)Place(sequenced, type)),
                        DeliveryMode.ReliableByType => Delivery.ReliableByType((byte)(Place(reliable, type) % EventDeliveries.ReliableOrders)),
                        DeliveryMode.ReliableOrdered => Delivery.ReliableOrdered,
                        _ => Delivery.Unreliable,
                    };
                }

                foreach (var one in new[] { type, (uint)random.Next(402) })
                {
                    var expected = model.GetValueOrDefault(one);
                    Assert.Equal(expected, deliveries.Find(Header(one, MessageKind.Event), isSequencedReadable: true));
                    Assert.Equal(expected.Mode == DeliveryMode.Sequenced ? Delivery.ReliableOrdered : expected, deliveries.Find(Header(one, MessageKind.Event), isSequencedReadable: false));
                    Assert.Equal(Delivery.ReliableOrdered, deliveries.Find(Header(one, MessageKind.Request), isSequencedReadable: true));
                }

                return $"{mode} of {type}";
            };

            static int Place(List<uint> types, uint type)
            {
                if (!types.Contains(type))
                    types.Add(type);
                return types.IndexOf(type);
            }
        });
    }

    private static byte[] Header(uint type, MessageKind kind)
    {
        var header = kind == MessageKind.Request ? new MessageHeader(type, kind, 1) : new MessageHeader(type, kind);
        var bytes = new byte[header.Size];
        header.Write(bytes);
        return bytes;
    }

    private static T Create<T>()
        where T : class => (T)RuntimeHelpers.GetUninitializedObject(typeof(T));

    /// <summary>An enumeration that has begun.</summary>
    private sealed class Reader(PeerGroup group)
    {
        private PeerGroup.Enumerator _peers = group.GetEnumerator();

        /// <summary>Reads at most a number of peers, and ends the enumeration.</summary>
        public HashSet<Peer> ReadAll(int most, HashSet<Peer> expected, out bool isComplete)
        {
            var read = new HashSet<Peer>();
            isComplete = false;
            while (read.Count < most && !isComplete)
            {
                isComplete = !_peers.MoveNext();
                if (!isComplete)
                    Assert.True(read.Add(_peers.Current) && expected.Contains(_peers.Current));
            }

            _peers.Dispose();
            return read;
        }
    }

    private sealed class ModelTime : TimeProvider
    {
        public DateTimeOffset Now { get; set; } = DateTimeOffset.UnixEpoch;

        public override DateTimeOffset GetUtcNow() => Now;
    }
}
