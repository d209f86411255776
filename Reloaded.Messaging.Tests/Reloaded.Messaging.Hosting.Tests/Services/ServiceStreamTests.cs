using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Streaming;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Services;

/// <summary>A service with items and progress in every form.</summary>
[MessageService]
public interface IArchive
{
    IAsyncEnumerable<Pong> CountAsync(int count, Peer? caller = null, CancellationToken token = default);

    IAsyncEnumerable<Pong> MultiplyAsync(IAsyncEnumerable<Ping> items, int factor, CancellationToken token = default);

    Task<Uploaded> SumAsync(string name, IAsyncEnumerable<Ping> items);

    ValueTask<long> AddAsync(IAsyncEnumerable<Ping> items, Peer? caller = null);

    Task DropAsync(IAsyncEnumerable<Ping> items, CancellationToken token);

    Task<Packed> PackAsync(int files, IProgress<Done>? progress = null, CancellationToken token = default);

    ValueTask<string?> DescribeAsync(IProgress<Done> progress, string text);

    ValueTask CompactAsync(IProgress<Done>? progress, Peer? caller = null);
}

public sealed class ServiceStreamTests : IAsyncLifetime
{
    private static int s_names;

    private readonly Archive _archive = new();
    private HostPair _hosts = null!;
    private HandlerRegistration _registration = null!;
    private IArchive _client = null!;

    public async ValueTask InitializeAsync()
    {
        _hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess($"service-streams-{Interlocked.Increment(ref s_names)}"), host => _registration = host.AddService<IArchive>(_archive));
        _client = _hosts.Client.GetService<IArchive>();
    }

    public ValueTask DisposeAsync() => _hosts.DisposeAsync();

    [Fact]
    public async Task Method_that_returns_items_streams_them()
    {
        Assert.Equal(Enumerable.Range(0, 5000), (await _client.CountAsync(5000).ReadAllAsync().InTime()).Select(static one => one.Number));
        Assert.Same(Assert.Single(_hosts.Server.Peers), _archive.Caller);
    }

    [Fact]
    public async Task Method_with_items_in_and_out_streams_both() =>
        Assert.Equal([0, 3, 6], (await _client.MultiplyAsync(NumbersAsync(3), 3).ReadAllAsync().InTime()).Select(static one => one.Number));

    [Fact]
    public async Task Method_with_items_replies_with_a_message_a_value_or_nothing()
    {
        Assert.Equal(new Uploaded(5000, 5000 * 4999L / 2), await _client.SumAsync("", NumbersAsync(5000)).InTime());
        Assert.Equal(6, await _client.AddAsync(NumbersAsync(4)).AsTask().InTime());
        await _client.DropAsync(NumbersAsync(4), CancellationToken.None).InTime();

        Assert.True(_archive.HasDropped);
    }

    [Fact]
    public async Task Method_with_progress_reports_it_and_replies_with_a_message_a_value_or_nothing()
    {
        var reports = new Reports();

        Assert.Equal(new Packed(3), await _client.PackAsync(3, reports).InTime());
        Assert.Equal(3, reports.Take()[^1]);
        Assert.Equal("text!", await _client.DescribeAsync(reports, "text").AsTask().InTime());
        Assert.Equal([1], reports.Take());
        await _client.CompactAsync(reports).AsTask().InTime();
        Assert.Equal([2], reports.Take());
    }

    [Fact]
    public async Task Method_is_called_without_progress()
    {
        Assert.Equal(new Packed(3), await _client.PackAsync(3).InTime());
        await _client.CompactAsync(null).AsTask().InTime();

        Assert.Equal(0, _hosts.Server.GetStatistics().LateReplies);
    }

    [Fact]
    public async Task Token_of_a_method_with_progress_cancels_the_method()
    {
        using var source = new CancellationTokenSource();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => _client.PackAsync(int.MaxValue, new Reports(_ => source.Cancel()), source.Token).InTime());

        Assert.True((await _archive.Canceled.Task.InTime()).IsCancellationRequested);
    }

    [Fact]
    public async Task Disposed_registration_refuses_the_methods()
    {
        _registration.Dispose();

        Assert.Equal(FaultCode.NoHandler, (await Assert.ThrowsAsync<RequestFaultException>(() => _client.CountAsync(1).ReadAllAsync().InTime())).Code);
        Assert.Equal(FaultCode.NoHandler, (await Assert.ThrowsAsync<RequestFaultException>(() => _client.SumAsync("", NumbersAsync(1)).InTime())).Code);
        Assert.Equal(FaultCode.NoHandler, (await Assert.ThrowsAsync<RequestFaultException>(() => _client.PackAsync(1, new Reports()).InTime())).Code);
    }

    private static async IAsyncEnumerable<Ping> NumbersAsync(int count)
    {
        await Task.Yield();
        for (var i = 0; i < count; i++)
            yield return new Ping(i);
    }

    private sealed class Archive : IArchive
    {
        public Peer? Caller { get; private set; }

        public bool HasDropped { get; private set; }

        public TaskCompletionSource<CancellationToken> Canceled { get; } = Signal.New<CancellationToken>();

        public async IAsyncEnumerable<Pong> CountAsync(int count, Peer? caller, [EnumeratorCancellation] CancellationToken token)
        {
            Caller = caller;
            await Task.Yield();
            for (var i = 0; i < count; i++)
                yield return new Pong(i);
        }

        public async IAsyncEnumerable<Pong> MultiplyAsync(IAsyncEnumerable<Ping> items, int factor, [EnumeratorCancellation] CancellationToken token)
        {
            await foreach (var item in items)
                yield return new Pong(factor * item.Number);
        }

        public async Task<Uploaded> SumAsync(string name, IAsyncEnumerable<Ping> items)
        {
            var all = await items.ReadAllAsync();
            return new Uploaded(all.Count, all.Sum(static one => (long)one.Number));
        }

        public async ValueTask<long> AddAsync(IAsyncEnumerable<Ping> items, Peer? caller) => (await SumAsync("", items)).Sum;

        public async Task DropAsync(IAsyncEnumerable<Ping> items, CancellationToken token)
        {
            await items.ReadAllAsync();
            HasDropped = true;
        }

        public async Task<Packed> PackAsync(int files, IProgress<Done>? progress, CancellationToken token)
        {
            for (var i = 1; i <= files; i++)
            {
                progress!.Report(new Done(i));
                await Task.Yield();
                if (token.IsCancellationRequested)
                    Canceled.TrySetResult(token);
                token.ThrowIfCancellationRequested();
            }

            return new Packed(files);
        }

        public ValueTask<string?> DescribeAsync(IProgress<Done> progress, string text)
        {
            progress.Report(new Done(1));
            return new($"{text}!");
        }

        public ValueTask CompactAsync(IProgress<Done>? progress, Peer? caller)
        {
            progress!.Report(new Done(2));
            return default;
        }
    }
}
