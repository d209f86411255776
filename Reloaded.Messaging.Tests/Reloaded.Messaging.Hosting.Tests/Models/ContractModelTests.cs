using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Models;

/// <summary>The contracts of a host and of a remote side behave as lists and as dictionaries by id.</summary>
public sealed class ContractModelTests
{
    private static readonly string[] s_layouts = ["o;A i4;B s", "o;A i4;C s", "o;A i8;B s"];

    /// <summary>The model: the layout that was announced last, the contract that was accepted last and the one that was refused last, by id.</summary>
    [Fact]
    public async Task RemoteContracts_are_the_last_announcement_of_each_id()
    {
        var endpoint = MessageEndpoint.InProcess($"contracts-{Guid.NewGuid():N}");
        await using var server = await MessageHost.ListenAsync(endpoint);
        await using var client = await MessageHost.ConnectAsync(endpoint);
        var reports = new List<uint>();
        client.ContractMismatched += (_, mismatch) => reports.Add(mismatch.Type);
        ModelRun.Compare(60, 300, random =>
        {
            var (acceptsOthers, types) = (random.Next(2) == 0, random.Pick<uint[]>([[1], [5, 127, 128], [.. Enumerable.Range(120, 20).Select(static type => (uint)type)], [3, 259, 515, 2_097_152 + 3, 0x9E37_79B9, uint.MaxValue]]));
            var contracts = types.ToDictionary(static type => type, static type => s_layouts.SelectMany(layout => new MessageContract[] { Contract(type, layout), Contract(type, layout) }).ToArray());
            var remote = new RemoteContracts(acceptsOthers, client.Server);
            var (announced, first) = (new Dictionary<uint, (string Layout, bool IsFirst)>(), true);
            var (used, refused, reported, early) = (new Dictionary<uint, MessageContract>(), new Dictionary<uint, MessageContract>(), new HashSet<uint>(), new Dictionary<uint, int>());
            var (added, isEnded) = (0, false);
            reports.Clear();
            return () =>
            {
                if (isEnded)
                    return "ended";
                var ours = Pick();
                var differs = announced.TryGetValue(ours.Type, out var known) && known.Layout != LayoutOf(ours);
                string text;
                switch (random.Next(8))
                {
                    case 0:
                        text = Add();
                        break;
                    case 1:
                        remote.Replace(ours, LayoutLines.Of([ours]), ++added);
                        used.Remove(ours.Type);
                        refused.Remove(ours.Type);
                        reported.Remove(ours.Type);
                        early.Remove(ours.Type);
                        if (known.IsFirst && !differs)
                            early.Add(ours.Type, added);
                        text = $"Replace {ours.Type}";
                        break;
                    default:
                        var isAccepted = used.GetValueOrDefault(ours.Type) == ours || acceptsOthers || !differs;
                        var isNew = used.GetValueOrDefault(ours.Type) != ours && refused.GetValueOrDefault(ours.Type) != ours;
                        Assert.Equal(isAccepted && (used.GetValueOrDefault(ours.Type) == ours || refused.GetValueOrDefault(ours.Type) != ours), remote.Accepts(ours));
                        if (isNew)
                            (isAccepted ? used : refused)[ours.Type] = ours;
                        if (isNew && differs)
                            Report(ours.Type);
                        text = $"{ours.Type}: {isAccepted}";
                        break;
                }

                Assert.Equal(refused.GetValueOrDefault(ours.Type) == ours, remote.DescribeRefusal(ours) is not null);
                Assert.All(types, type => Assert.Equal(announced.ContainsKey(type), remote.IsAnnounced(type)));
                Assert.Equal(early.TryGetValue(ours.Type, out var number), remote.IsEarly(ours.Type, number));
                Assert.False(remote.IsEarly(ours.Type, added + 1));
                return text;
            };

            string Add()
            {
                // Many contracts and one that is new, or a single one. Mostly without a difference, which would end the connection.
                var theirs = types.Where(_ => random.Next(3) == 0).Select(Like).ToList();
                if (random.Next(2) == 0 || theirs.Count == 0)
                    theirs = [Like(random.Pick(types))];
                else
                    theirs.Add(Contract(10_000u + (uint)++added, s_layouts[0]));
                var handled = types.Where(_ => random.Next(8) == 0).Select(Like).ToList();
                var layouts = theirs.ToDictionary(static one => one.Type, LayoutOf);
                var differing = handled.Concat(used.Values).Where(one => layouts.TryGetValue(one.Type, out var layout) && layout != LayoutOf(one)).Select(static one => one.Type).ToArray();
                var bytes = ContractAnnouncement.Of([.. theirs]).Bytes;
                var reason = remote.Add(bytes, ContractAnnouncement.Of([.. handled]));
                if (reason == DisconnectReason.Malformed)
                {
                    isEnded = true;
                    return "full";
                }

                Assert.Equal(differing.Length > 0 && !acceptsOthers ? DisconnectReason.WrongContract : null, reason);
                isEnded = reason is not null;
                foreach (var one in theirs)
                {
                    announced[one.Type] = (LayoutOf(one), first);
                    refused.Remove(one.Type);
                }

                first = false;
                Array.ForEach(differing, Report);
                return $"Add {theirs.Count}";
            }

            void Report(uint type)
            {
                Assert.Equal(reported.Add(type) ? 1 : 0, reports.RemoveAll(one => one == type));
            }

            MessageContract Pick() => random.Pick(contracts[random.Pick(types)]);

            MessageContract Like(uint type) => random.Next(acceptsOthers ? 2 : 20) == 0 ? random.Pick(contracts[type]) : used.GetValueOrDefault(type) ?? contracts[type][0];
        });

        string LayoutOf(MessageContract contract) => contract.Shape!.Layout!;
    }

    /// <summary>The model: the list that was written, which is refused for each id that it has twice, and for each byte that is wrong, missing or left over.</summary>
    [Fact]
    public void AnnouncedContracts_are_a_list_without_an_id_twice()
    {
        ModelRun.Compare(40, 150, static random =>
        {
            var ids = random.Pick<uint[]>([[1, 2, 3], [0, 127, 128, uint.MaxValue, LibraryTypes.ContractLayouts], [.. Enumerable.Range(0, 300).Select(static id => (uint)id)]]);
            var most = random.Pick([3, 8, 9, 10, 40]);
            return () =>
            {
                var list = Enumerable.Range(0, random.NextUpTo(most)).Select(_ => Entry(random, random.Pick(ids))).ToList();
                if (random.Next(3) > 0)
                    list = [.. list.DistinctBy(static one => one.Type)];
                if (random.Next(3) == 0)
                    list = [.. list.Where(static one => one.Type != LibraryTypes.ContractLayouts), Entry(random, LibraryTypes.ContractLayouts)];
                var (bytes, isBroken) = (Write(list), random.Next(5) == 0);
                if (isBroken)
                    bytes = random.Next(2) == 0 ? [.. bytes, 0] : bytes[..random.Next(bytes.Length)];

                var read = AnnouncedContracts.TryRead(bytes);

                Assert.Equal(!isBroken && list.DistinctBy(static one => one.Type).Count() == list.Count, read is not null);
                if (read is null)
                    return $"refused {list.Count}";
                var layouts = list is [.., { Type: LibraryTypes.ContractLayouts } last] ? last.Name : null;
                if (layouts is not null)
                    list.RemoveAt(list.Count - 1);
                Assert.Equal(list.Count, read.Count);
                Assert.Equal(layouts is not null && list.Count > 0, read.HasLayouts);
                Assert.Equal(read.HasLayouts ? new ContractLayouts(layouts!).ToString() : null, read.Layouts?.ToString());
                Assert.All(ids.Append(LibraryTypes.ContractLayouts), id => Assert.Equal(list.FindIndex(one => one.Type == id), read.Find(id)));
                for (var i = 0; i < list.Count; i++)
                {
                    var one = read.Read(i);
                    Assert.Equal((list[i].Type, list[i].Type, list[i].Name, list[i].Encoding, list[i].Version), (read[i], one.Type, one.Name, one.Encoding, one.Version));
                    Assert.Equal(list[i].Shape, one.Shape);
                }

                return $"{list.Count} of {bytes.Length} bytes";
            };
        });

        static ContractDescriptor Entry(Random random, uint id) => new(id, random.Pick(["", "A", "Ä.日本", new string('n', 200)]), random.Pick(["", "s"]), random.Next(-1, 2), [.. Enumerable.Range(0, random.Next(4)).Select(field => (ulong)field << random.Next(64))]);

        static byte[] Write(List<ContractDescriptor> list)
        {
            var bytes = new List<byte>();
            WriteNumber(list.Count + 1);
            foreach (var one in list)
            {
                WriteNumber(one.Type);
                foreach (var text in new[] { one.Name, one.Encoding })
                {
                    WriteNumber(Encoding.UTF8.GetByteCount(text) + 1);
                    bytes.AddRange(Encoding.UTF8.GetBytes(text));
                }

                bytes.AddRange(BitConverter.GetBytes(one.Version));
                WriteNumber(one.Shape.Length + 1);
                bytes.AddRange(one.Shape.SelectMany(BitConverter.GetBytes));
            }

            return [.. bytes];

            void WriteNumber(long number)
            {
                var prefix = new byte[UVarint.MaxSize];
                bytes.AddRange(prefix[..UVarint.Write(prefix, (uint)number)]);
            }
        }
    }

    /// <summary>The model: the contracts that were announced, that have a handler, and that a handler replies with, by id. A contract of another type is refused while one of them has its id.</summary>
    [Fact]
    public async Task HostContracts_have_one_type_for_each_id_in_use()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"contracts-{Guid.NewGuid():N}"));
        var freeId = 0u; // contracts that were announced stay announced, so each run has ids of its own
        ModelRun.Compare(60, 200, random =>
        {
            var first = freeId;
            var ids = Enumerable.Range(0, random.Next(1, 5)).Select(_ => ++freeId).ToArray();
            var integers = ids.SelectMany(static id => new[] { 1, 2 }.Select(version => new MessageContract<int>(id, new BlittableSerializer<int>(), version: version))).ToArray();
            var longs = ids.Select(static id => new MessageContract<long>(id, new BlittableSerializer<long>())).ToArray();
            var (announced, handled, tracked) = (new Dictionary<uint, MessageContract>(), new Dictionary<uint, (HandlerRegistration Registration, MessageContract Contract, MessageContract? Reply)>(), new Dictionary<uint, MessageContract>());
            return () =>
            {
                var contract = random.Next(2) == 0 ? (MessageContract)random.Pick(integers) : random.Pick(longs);
                var reply = random.Next(2) == 0 ? (MessageContract)random.Pick(integers) : random.Pick(longs);
                string text;
                switch (random.Next(9))
                {
                    case 0 when random.Next(5) == 0:
                        text = Change($"Announce {contract}", IsTaken(contract), () =>
                        {
                            server.AnnounceContract(contract);
                            announced[contract.Type] = tracked[contract.Type] = contract;
                        });
                        break;
                    case < 3:
                        text = Change($"On {contract}", IsTaken(contract) || handled.ContainsKey(contract.Type), () =>
                        {
                            handled[contract.Type] = (On(contract, null), contract, null);
                            tracked[contract.Type] = contract;
                        });
                        break;
                    case < 5:
                        var isRefused = IsTaken(contract) || IsTaken(reply) || (reply.Type == contract.Type && reply.MessageType != contract.MessageType) || handled.ContainsKey(contract.Type);
                        text = Change($"OnRequest {contract} {reply}", isRefused, () =>
                        {
                            handled[contract.Type] = (On(contract, reply), contract, reply);
                            tracked[contract.Type] = contract;
                            tracked[reply.Type] = reply;
                        });
                        break;
                    default:
                        text = $"Dispose {contract.Type}";
                        if (handled.Remove(contract.Type, out var removed))
                            removed.Registration.Dispose();
                        break;
                }

                foreach (var id in ids)
                    Assert.Same(tracked.GetValueOrDefault(id), server.Contracts.Find(id));
                Assert.Equal(tracked.Values.OrderBy(static one => one.Type), server.Contracts.GetAll().Where(one => one.Type > first && one.Type <= freeId).OrderBy(static one => one.Type));
                return text;
            };

            bool IsTaken(MessageContract contract) =>
                announced.Values.Concat(handled.Values.Select(static one => one.Contract)).Concat(handled.Values.Select(static one => one.Reply).OfType<MessageContract>())
                    .Any(one => one.Type == contract.Type && one.MessageType != contract.MessageType);
        });

        static string Change(string text, bool isRefused, Action change)
        {
            if (!isRefused)
                change();
            else
                Assert.Throws<InvalidOperationException>(change);
            return (isRefused ? "-" : "+") + text;
        }

        HandlerRegistration On(MessageContract contract, MessageContract? reply) => (contract, reply) switch
        {
            (MessageContract<int> one, null) => server.On(one, (in int _, Peer _) => { }),
            (MessageContract<long> one, null) => server.On(one, (in long _, Peer _) => { }),
            (MessageContract<int> one, MessageContract<int> other) => server.OnRequest(one, other, (in int request, Peer _) => request),
            (MessageContract<int> one, MessageContract<long> other) => server.OnRequest(one, other, (in int request, Peer _) => request),
            (MessageContract<long> one, MessageContract<int> other) => server.OnRequest(one, other, (in long _, Peer _) => 0),
            _ => server.OnRequest((MessageContract<long>)contract, (MessageContract<long>)reply!, (in long request, Peer _) => request),
        };
    }

    /// <summary>The model: the version of each id that each client was told. A message is sent by that version, or by any version if the client was told none, also after the contract was collected.</summary>
    [Fact]
    public async Task Clients_get_no_message_of_another_version_than_they_were_told()
    {
        var endpoint = MessageEndpoint.InProcess($"contracts-{Guid.NewGuid():N}");
        await using var server = await MessageHost.ListenAsync(endpoint);
        var clients = new List<(MessageClient Client, Peer Peer, Dictionary<uint, int> Told)>();
        var freeId = 0u;
        var refusedAfterCollection = 0;
        for (var seed = 1; seed <= 12; seed++)
        {
            var random = new Random(seed);
            var ids = Enumerable.Range(0, random.Next(1, 4)).Select(_ => ++freeId).ToArray();
            var kept = new Dictionary<uint, MessageContract<int>>();
            var registrations = new Dictionary<uint, HandlerRegistration>();
            for (var step = 0; step < 60; step++)
            {
                var id = random.Pick(ids);
                switch (random.Next(10))
                {
                    case 0 when clients.Count < 6:
                        await ConnectAsync();
                        break;
                    case 1 or 2:
                        Announce(server, random, id, kept, registrations, clients);
                        break;
                    case 3 or 4:
                        Forget(id, kept, registrations);
                        CollectAll();
                        break;
                    default:
                        foreach (var (_, peer, told) in clients)
                        {
                            var version = random.Next(1, 4);
                            var isRefused = told.TryGetValue(id, out var known) && known != version;
                            Assert.Equal((seed, step, isRefused ? SendStatus.ContractMismatch : SendStatus.Sent), (seed, step, SendNew(peer, id, version)));
                            refusedAfterCollection += isRefused && !kept.ContainsKey(id) ? 1 : 0;
                        }

                        break;
                }
            }

            foreach (var id in ids)
                Forget(id, kept, registrations);
            foreach (var (client, _, _) in clients)
                await client.DisposeAsync();
            clients.Clear();
        }

        Assert.True(refusedAfterCollection > 20, $"{refusedAfterCollection}");

        async Task ConnectAsync()
        {
            var announced = server.Contracts.GetAll();
            var client = await MessageHost.ConnectAsync(endpoint);
            clients.Add((client, server.Peers.MaxBy(static peer => peer.Id)!, announced.ToDictionary(static one => one.Type, static one => one.Version)));
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Announce(MessageServer server, Random random, uint id, Dictionary<uint, MessageContract<int>> kept, Dictionary<uint, HandlerRegistration> registrations, List<(MessageClient Client, Peer Peer, Dictionary<uint, int> Told)> clients)
    {
        var contract = VersionOf(id, random.Next(1, 4));
        if (random.Next(2) == 0)
        {
            server.AnnounceContract(contract);
        }
        else
        {
            if (registrations.Remove(id, out var before))
                before.Dispose();
            registrations[id] = server.On(contract, static (in int _, Peer _) => { });
        }

        kept[id] = contract;
        foreach (var (_, _, told) in clients)
            told[id] = contract.Version;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(uint id, Dictionary<uint, MessageContract<int>> kept, Dictionary<uint, HandlerRegistration> registrations)
    {
        kept.Remove(id);
        if (registrations.Remove(id, out var registration))
            registration.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static SendStatus SendNew(Peer peer, uint id, int version) => peer.Send(VersionOf(id, version), version);

    private static MessageContract<int> VersionOf(uint id, int version) => new(id, new BlittableSerializer<int>(), version: version);

    private static void CollectAll()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
    }

    private static MessageContract<Note> Contract(uint id, string layout) =>
        new MessageContract<Note>(id, new BlittableSerializer<Note>(), shape: new MessageShape(["A", "B"], [1ul << 32 | 5, 2ul << 32 | 7], layout));

    private readonly record struct Note(int A);
}
