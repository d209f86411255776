using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Models;

/// <summary>The contracts of a remote side behave as dictionaries by id.</summary>
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
            var (acceptsOthers, types) = (random.Next(2) == 0, random.Pick<uint[]>([[1], [5, 127, 128], [.. Enumerable.Range(120, 20).Select(static type => (uint)type)]]));
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
                var bytes = ContractAnnouncement.Of(theirs).Bytes;
                var reason = remote.Add(bytes, ContractAnnouncement.Of(handled));
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

    private static MessageContract<Note> Contract(uint id, string layout) =>
        new MessageContract<Note>(id, new BlittableSerializer<Note>(), shape: new MessageShape(["A", "B"], [1ul << 32 | 5, 2ul << 32 | 7], layout));

    private readonly record struct Note(int A);
}
