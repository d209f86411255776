using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.PeerProcess.Languages;

/// <summary>Streams, files and compressed requests for the tests of clients in other languages. Files are in memory, and byte i of a file is 7 * i modulo 251.</summary>
internal static class LanguageStreams
{
    public static void Register(MessageHost server)
    {
        server.OnStream(static (Count count, CancellationToken _) => CountAsync(count));
        server.OnRequest<CountBack, Answer>(static async (count, from, token) =>
        {
            var (sum, left) = (0, count.Leaves);
            await foreach (var item in from.StreamAsync<Count, Counted>(new Count(count.To), token))
            {
                sum += item.Number;
                if (--left == 0)
                    break;
            }

            return new Answer(sum, Environment.ProcessId);
        });
        server.OnRequest<Collect, Counted, Answer>(CollectAsync);
        server.OnRequest<CollectBack, Answer>(static (ask, from, token) => from.RequestAsync(new Collect(ask.Leaves), CountAsync(new Count(ask.To, ask.Fails)), token));
        server.OnStream<Converse, Counted, Counted>(ConverseAsync);
        server.OnRequest<ConverseBack, Answer>(static async (ask, from, token) =>
        {
            var (hash, count) = (0, 0);
            await foreach (var item in from.StreamAsync(new Converse(ask.Factor), CountAsync(new Count(ask.To)), token))
            {
                hash = Add(hash, item);
                if (++count == ask.Leaves)
                    break;
            }

            return new Answer(hash, count);
        });
        server.OnRequest(static async (Work work, IProgress<Step> progress, CancellationToken _) =>
        {
            for (var step = 1; step <= work.Steps; step++)
            {
                progress.Report(new Step(step));
                if (step % 10 == 0)
                    await Task.Yield();
            }

            return new Answer(work.Steps, Environment.ProcessId);
        });
        server.OnRequest<WorkBack, Answer>(static async (ask, from, token) =>
        {
            var reports = new ReportList();
            await from.RequestAsync(new Work(ask.Steps), reports, token);
            return new Answer(reports.Steps.LastOrDefault(), reports.Steps.Order().SequenceEqual(reports.Steps) ? reports.Steps.Count : -1);
        });
        server.OnRequest(static (Lines lines) => new Measured(lines.Text.Sum(static line => line.Length)));

        var files = new ConcurrentDictionary<string, byte[]>();
        server.OnFile(async (offer, token) =>
        {
            if (offer.Name == "refused")
                throw new RequestFaultException(1000, "No such files.");
            using var received = new MemoryStream();
            await offer.SaveAsync(received, cancellationToken: token);
            files[offer.Name] = received.ToArray();
        });
        server.OnFileRequest((name, _) => files.TryGetValue(name, out var bytes) ? new MemoryStream(bytes) : throw new RequestFaultException(1001, "No such file."));
        server.OnRequest<FetchFile, Answer>(static async (fetch, from, token) =>
        {
            using var received = new MemoryStream();
            received.Write(CreateFile(fetch.Has));
            var progress = await from.ReceiveFileAsync(fetch.Name, received, cancellationToken: token);
            return new Answer((int)progress.Resumed, received.ToArray().AsSpan().SequenceEqual(CreateFile((int)progress.Length)) ? (int)progress.Length : -1);
        });
        server.OnRequest<PushFile, Answer>(static async (push, from, token) =>
        {
            using var source = new MemoryStream(CreateFile(push.Length));
            var progress = await from.SendFileAsync(source, push.Name, cancellationToken: token);
            return new Answer((int)progress.Resumed, (int)progress.Transferred);
        });
    }

    private sealed class ReportList : IProgress<Step>
    {
        public List<int> Steps { get; } = [];

        public void Report(Step value) => Steps.Add(value.Number);
    }

    private static byte[] CreateFile(int length) => [.. Enumerable.Range(0, length).Select(static i => (byte)(7L * i % 251))];

    private static async Task<Answer> CollectAsync(Collect collect, IAsyncEnumerable<Counted> items, Peer from, CancellationToken token)
    {
        var (hash, count, how) = (0, 0, "end");
        try
        {
            await foreach (var item in items)
            {
                hash = Add(hash, item);
                if (++count != collect.Leaves)
                    continue;
                how = "left";
                break;
            }

            return collect.Fault == 0 ? new Answer(hash, count) : throw new RequestFaultException(collect.Fault, "The disk is full.");
        }
        catch (RequestFaultException e) when (e.IsRemote)
        {
            how = $"fault {e.Code}";
            throw;
        }
        catch (OperationCanceledException)
        {
            how = "canceled";
            throw;
        }
        finally
        {
            _ = from.Send(new LoopEnded(how));
        }
    }

    private static async IAsyncEnumerable<Counted> ConverseAsync(Converse converse, IAsyncEnumerable<Counted> items, Peer from, [EnumeratorCancellation] CancellationToken token)
    {
        var isWhole = false;
        try
        {
            await foreach (var item in items)
                yield return item with { Number = unchecked(item.Number * converse.Factor) };
            isWhole = true;
        }
        finally
        {
            _ = from.Send(new LoopEnded(isWhole ? "end" : token.IsCancellationRequested ? "canceled" : "fault"));
        }
    }

    /// <summary>Adds an item to a hash that depends on the order of the items.</summary>
    private static int Add(int hash, Counted item) => unchecked((hash * 31) + item.Number + item.Text.Length);

    private static async IAsyncEnumerable<Counted> CountAsync(Count count)
    {
        for (var i = 0; i < count.To; i++)
        {
            yield return new Counted(i, new string('x', i % 300));
            if (i % 1000 == 0)
                await Task.Yield();
        }

        if (count.Fails)
            throw new RequestFaultException(1002, "The numbers ended.");
    }
}
