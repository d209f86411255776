using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Streaming;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Models;

/// <summary>The reports of the requests of a peer behave as a list of pulls and one report for each request.</summary>
public sealed class ReportModelTests
{
    private const int MaxOpen = 2;
    private const int Ids = 3;

    private static readonly MessageContract<StreamBlock> s_block = StreamContracts.GetBlock(isSecret: false);

    /// <summary>The model: for each open request, its pulls and the newest report. Each step is handled before the next one.</summary>
    [Fact]
    public async Task RequestReports_is_a_list_of_pulls_and_a_report_for_each_request()
    {
        var endpoint = MessageEndpoint.InProcess($"reports-{Guid.NewGuid():N}");
        await using var hosts = await HostPair.ConnectAsync(endpoint, static host =>
        {
            host.OnRequest(static (Compact _, IProgress<Done> _, CancellationToken _) => Task.CompletedTask);
            host.OnRequest(static (Ping ping) => new Pong(ping.Number));
        }, serverOptions: new MessageHostOptions { Limits = new HostLimits { MaxStreams = MaxOpen } });
        var server = await hosts.Server.Connection().InTime();
        for (var seed = 0; seed < Extent.Of(20, 200); seed++)
        {
            var (random, done, open) = (new Random(seed), new List<string>(), new Dictionary<uint, Model>());
            try
            {
                for (var i = 0; i < 60; i++)
                    await StepAsync(random, done, open, hosts.Client.Server, server, i);
                foreach (var id in open.Keys.ToList())
                    await EndAsync(id, open, () => server.Reports!.End(id));
            }
            catch (Exception e)
            {
                Assert.Fail($"Seed {seed}, after {string.Join("; ", done.TakeLast(20))}: {e}");
            }

            Assert.Equal(0, server.Reports!.Count);
        }

        Assert.Equal(0, hosts.Client.Server.Requests.Unanswered.Count);
    }

    private static async Task StepAsync(Random random, List<string> done, Dictionary<uint, Model> open, Peer client, Peer server, int step)
    {
        var id = (uint)random.Next(1, Ids + 1);
        var model = open.GetValueOrDefault(id);
        switch (random.Next(10))
        {
            case < 5 when random.Next(3) is var action:
                done.Add($"pull {id} {action}");
                var pull = client.Requests.Start(StreamContracts.ReportPull, s_block, new StreamPull(id, action), StreamContracts.NoTimeout, default).ResultTask.AsTask();
                if (action == 0)
                {
                    await EndAsync(id, open, static () => { });
                    AssertIs(await pull.InTime(), null, isEnd: true);
                }
                else if (model is null && action == StreamPull.OpensReports && open.Count == MaxOpen)
                {
                    Assert.Equal(FaultCode.TooManyStreams, (await pull.InTime()).Fault?.Code);
                }
                else if (model is null && action == StreamPull.NextReport)
                {
                    AssertIs(await pull.InTime(), null, isEnd: true);
                }
                else if (model?.Pulls.Count == RequestReports.Window)
                {
                    Assert.Equal(FaultCode.InvalidRequest, (await pull.InTime()).Fault?.Code);
                }
                else
                {
                    if (model is null)
                        open.Add(id, model = new Model());
                    model.Pulls.Enqueue(pull);
                    await client.RequestAsync<Ping, Pong>(new Ping(0)).AsTask().InTime(); // the pull was handled before
                }

                break;
            case < 9 when server.Reports is not null:
                done.Add($"report {id} {step}");
                using (var packed = server.Host.Resources.Writer.Pack(new Done(step)))
                    Assert.Equal(model is not null, server.Reports.TryAdd(id, packed, isSecret: false));
                if (model is not null)
                    model.Newest = step;
                break;
            case 9 when server.Reports is not null:
                done.Add($"end {id}");
                await EndAsync(id, open, () => server.Reports.End(id));
                break;
        }

        if (open.GetValueOrDefault(id) is { Newest: { } newest, Pulls.Count: RequestReports.Window } now)
        {
            AssertIs(await now.Pulls.Dequeue().InTime(), newest, isEnd: false);
            now.Newest = null;
        }

        Assert.All(open.Values, static one => Assert.All(one.Pulls, static pull => Assert.False(pull.IsCompleted)));
        if (server.Reports is { } reports)
        {
            Assert.Equal(open.Count, reports.Count);
            Assert.All(Enumerable.Range(1, Ids), one => Assert.Equal(open.ContainsKey((uint)one), reports.Contains((uint)one)));
        }
    }

    private static async Task EndAsync(uint id, Dictionary<uint, Model> open, Action end)
    {
        end();
        if (!open.Remove(id, out var model))
            return;
        foreach (var pull in model.Pulls)
        {
            AssertIs(await pull.InTime(), model.Newest, isEnd: true);
            model.Newest = null;
        }
    }

    private static void AssertIs(RequestResult<StreamBlock> result, int? report, bool isEnd)
    {
        Assert.Equal((RequestStatus.Replied, isEnd), (result.Status, result.Reply.IsEnd));
        Assert.Equal(report is { } number ? RawPeer.Event(new Done(number)) : [], result.Reply.Memory.ToArray());
        result.Reply.Return(isSecret: false);
    }

    private sealed class Model
    {
        public readonly Queue<Task<RequestResult<StreamBlock>>> Pulls = new();

        public int? Newest;
    }
}
