using System;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>The sample host of docs/internals/authoring.md.</summary>
public sealed class FramedHostTests
{
    private const LengthPrefix Prefix = LengthPrefix.UInt16BigEndian;

    [Theory]
    [InlineData(LengthPrefix.UInt16LittleEndian)]
    [InlineData(LengthPrefix.UInt16BigEndian)]
    [InlineData(LengthPrefix.UInt32LittleEndian)]
    [InlineData(LengthPrefix.UInt32BigEndian)]
    public async Task Requests_and_events_pass(LengthPrefix prefix)
    {
        var noted = Signal.New<string>();
        await using var hosts = await ConnectPairAsync(
            host =>
            {
                host.On((in Note note, FramedHost _) => noted.SetResult(note.Text));
                host.OnRequest((Ping ping) => new Pong(-ping.Number));
            },
            prefix);

        var replies = await Task.WhenAll(Enumerable.Range(0, 500).Select(i => AskAsync(hosts.Client, i))).InTime();
        hosts.Client.Send(new Note("hello"));

        Assert.Equal(Enumerable.Range(0, 500).Select(i => new Pong(-i)), replies);
        Assert.Equal("hello", await noted.Task.InTime());
    }

    [Fact]
    public async Task Nothing_but_the_short_messages_is_on_the_wire()
    {
        var (host, program) = await ConnectAsync(static host => host.OnRequest((Ping ping) => new Pong(ping.Number + 1)));
        using var _ = program;

        await program.SendAsync([0, 5, 1, 41, 0, 0, 0]);

        Assert.Equal([0, 5, 2, 42, 0, 0, 0], await program.ReceiveAsync(7));
        await host.DisposeAsync();
        Assert.Empty(await program.ReceiveToEndAsync());
    }

    [Fact]
    public async Task Replies_leave_in_the_order_of_the_requests()
    {
        var gates = Enumerable.Range(0, 4).Select(_ => new TaskCompletionSource()).ToArray();
        using var started = new CountdownEvent(4);
        var (host, program) = await ConnectAsync(host => host.OnRequest<Ping, Pong>(async (ping, _, _) =>
        {
            started.Signal();
            await gates[ping.Number].Task;
            return ping.Number == 2 ? throw new InvalidOperationException("the third fails") : new Pong(ping.Number);
        }));
        await using var _ = host;
        using var __ = program;
        for (byte i = 0; i < 4; i++)
            await program.SendAsync([0, 5, 1, i, 0, 0, 0]);
        Assert.True(started.Wait(Deadline.Length, TestContext.Current.CancellationToken));

        foreach (var gate in gates.Reverse())
            gate.SetResult();

        Assert.Equal([0, 5, 2, 0, 0, 0, 0], await program.ReceiveAsync(7));
        Assert.Equal([0, 5, 2, 1, 0, 0, 0], await program.ReceiveAsync(7));
        var length = await program.ReceiveAsync(2);
        Assert.Equal(HeaderStatus.Ok, MessageHeader.TryRead(await program.ReceiveAsync((length[0] << 8) | length[1]), out var fault, out var headerSize));
        Assert.Equal((MessageKind.Fault, 1u, 0u, 4), (fault.Kind, fault.Type, fault.CorrelationId, headerSize));
        Assert.Equal([0, 5, 2, 3, 0, 0, 0], await program.ReceiveAsync(7));
    }

    [Fact]
    public async Task Late_reply_belongs_to_the_request_that_timed_out()
    {
        var (host, program) = await ConnectAsync();
        await using var _ = host;
        using var __ = program;

        await Assert.ThrowsAsync<TimeoutException>(() => host.RequestAsync<Ping, Pong>(new Ping(1), TimeSpan.FromMilliseconds(1)).AsTask());
        var second = AskAsync(host, 2);
        await program.SendAsync([0, 5, 2, 1, 0, 0, 0, 0, 5, 2, 2, 0, 0, 0]);

        Assert.Equal(new Pong(2), await second.InTime());
        Assert.Equal((1, 1), (host.Requests.Timeouts, host.Requests.LateReplies));
    }

    [Fact]
    public async Task Canceled_request_keeps_its_place()
    {
        var (host, program) = await ConnectAsync();
        await using var _ = host;
        using var __ = program;
        using var cancel = new CancellationTokenSource();

        var first = host.RequestAsync<Ping, Pong>(new Ping(1), Deadline.Length, cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first.InTime());
        var second = AskAsync(host, 2);

        Assert.Equal([0, 5, 1, 1, 0, 0, 0, 0, 5, 1, 2, 0, 0, 0], await program.ReceiveAsync(14));
        await program.SendAsync([0, 5, 2, 1, 0, 0, 0, 0, 5, 2, 2, 0, 0, 0]);
        Assert.Equal(new Pong(2), await second.InTime());
    }

    [Fact]
    public async Task Message_that_is_not_the_next_reply_is_an_event()
    {
        var noted = Signal.New<string>();
        var (host, program) = await ConnectAsync(host => host.On((in Note note, FramedHost _) => noted.SetResult(note.Text)));
        await using var _ = host;
        using var __ = program;
        using var note = new MessageWriter().Pack(new Note("meanwhile"));

        var asked = AskAsync(host, 1);
        Assert.Equal([0, 5, 1, 1, 0, 0, 0], await program.ReceiveAsync(7));
        await program.SendAsync([0, (byte)note.Length, .. note.Span, 0, 5, 2, 9, 0, 0, 0]);

        Assert.Equal(new Pong(9), await asked.InTime());
        Assert.Equal("meanwhile", await noted.Task.InTime());
    }

    [Theory]
    [InlineData(MessageKind.Request)]
    [InlineData(MessageKind.Reply)]
    [InlineData(MessageKind.Fault)]
    public async Task Kind_that_such_programs_do_not_send_is_malformed(MessageKind kind)
    {
        var (host, program) = await ConnectAsync(static host => host.OnRequest((Ping ping) => new Pong(ping.Number)));
        await using var _ = host;
        using var __ = program;
        using var packed = new MessageWriter().PackRaw(new MessageHeader(1, kind, 7), [1, 0, 0, 0]);

        await program.SendAsync([0, (byte)packed.Length, .. packed.Span]);

        await Signal.UntilAsync(() => host.Malformed == 1);
    }

    [Fact]
    public async Task Message_above_the_length_of_the_prefix_is_refused()
    {
        var (host, program) = await ConnectAsync();
        await using var _ = host;
        using var __ = program;

        var refused = Assert.Throws<MessageTooLargeException>(() => host.Send(new Note(new string('x', 70_000))));

        Assert.Equal(65535, refused.Limit);
    }

    [Theory]
    [InlineData(LengthPrefix.UInt16LittleEndian, "POST")]
    [InlineData(LengthPrefix.UInt16BigEndian, "OPTIONS")]
    public async Task Http_request_reaches_no_handler(LengthPrefix prefix, string verb)
    {
        var handled = 0;
        var (host, program) = await ConnectAsync(host => host.On((in Ping _, FramedHost _) => handled++), prefix);
        await using var _ = host;
        using var __ = program;
        var head = Encoding.ASCII.GetBytes($"{verb} / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 40000\r\n\r\n");
        var length = prefix == LengthPrefix.UInt16LittleEndian ? head[0] | (head[1] << 8) : (head[0] << 8) | head[1];
        var request = new byte[2 + length];
        head.CopyTo(request, 0);

        await program.SendAsync([.. request, 5, 0, 1, 0xD2, 4, 0, 0]);

        await Assert.ThrowsAsync<InvalidDataException>(() => host.Completion.InTime());
        Assert.Equal(0, handled);
    }

    [Fact]
    public async Task Type_without_a_handler_is_ignored_after_the_first_message()
    {
        var handled = 0;
        var (host, program) = await ConnectAsync(host => host.On((in Ping _, FramedHost _) => Interlocked.Increment(ref handled)));
        await using var _ = host;
        using var __ = program;

        foreach (var part in (byte[])[0, 5, 1, 1, 0, 0, 0, 0, 1, 99, 0, 5, 1, 1, 0, 0, 0])
            await program.SendAsync([part]);

        await Signal.UntilAsync(() => Volatile.Read(ref handled) == 2);
    }

    [Fact]
    public async Task Other_bytes_than_messages_end_the_host()
    {
        var (host, program) = await ConnectAsync();
        await using var _ = host;
        using var __ = program;

        await program.SendAsync([0, 0]);

        await Assert.ThrowsAsync<InvalidDataException>(() => host.Completion.InTime());
        Assert.Equal(SendStatus.Closed, host.Send(new Note("late")));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Exception_is_reported_and_becomes_a_fault(bool isAsync)
    {
        await using var hosts = await ConnectPairAsync(host => _ = isAsync
            ? host.OnRequest<Ping, Pong>(static async _ =>
            {
                await Task.Yield();
                throw new InvalidOperationException("secret");
            })
            : host.OnRequest<Ping, Pong>(static _ => throw new InvalidOperationException("secret")));
        var failed = Signal.New<string>();
        hosts.Server.HandlerFailed += (_, e) => failed.SetResult(e.Message);

        var fault = await Assert.ThrowsAsync<RequestFaultException>(() => AskAsync(hosts.Client, 1).InTime());

        Assert.Equal(FaultCode.HandlerFailed, fault.Code);
        Assert.DoesNotContain("secret", fault.Message, StringComparison.Ordinal);
        Assert.Equal("secret", await failed.Task.InTime());
        Assert.Equal(1, hosts.Server.Requests.FaultsSent);
    }

    [Fact]
    public async Task Requests_end_when_the_other_program_ends()
    {
        await using var hosts = await ConnectPairAsync(static host => host.OnRequest(static (Ping _) => new TaskCompletionSource<Pong>().Task));

        var request = AskAsync(hosts.Client, 1);
        await hosts.Server.DisposeAsync().AsTask().InTime();

        var failure = await Assert.ThrowsAsync<RequestFailedException>(() => request.InTime());
        Assert.Equal(RequestStatus.Disconnected, failure.Status);
        await hosts.Client.Completion.InTime();
        Assert.Equal(SendStatus.Closed, hosts.Client.Send(new Note("late")));
    }

    [Fact]
    public async Task Other_program_that_reads_no_replies_is_disconnected()
    {
        var (host, program) = await ConnectAsync(static host => host.OnRequest(static (Ping _) => new Note(new string('x', 60_000))));
        await using var _ = host;
        using var __ = program;
        byte[] requests = [.. Enumerable.Repeat<byte[]>([0, 5, 1, 1, 0, 0, 0], 1000).SelectMany(static request => request)];

        await program.SendAsync(requests); // 60 MB of replies

        await host.Completion.InTime();
    }

    private static Task<Pong> AskAsync(FramedHost host, int number) => host.RequestAsync<Ping, Pong>(new Ping(number), Deadline.Length).AsTask();

    /// <summary>A host, and the program that it is connected to.</summary>
    private static async Task<(FramedHost Host, RawPeer Program)> ConnectAsync(Action<FramedHost>? configure = null, LengthPrefix prefix = Prefix)
    {
        using var listener = new RawListener();
        var host = FramedHost.Start(await OpenAsync(listener.Port), prefix, configure);
        return (host, await listener.AcceptAsync());
    }

    private static async Task<FramedPair> ConnectPairAsync(Action<FramedHost> configure, LengthPrefix prefix = Prefix)
    {
        using var listener = new TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        var client = FramedHost.Start(await OpenAsync(((System.Net.IPEndPoint)listener.LocalEndpoint).Port), prefix);
        return new(FramedHost.Start((await listener.AcceptTcpClientAsync()).GetStream(), prefix, configure), client);
    }

    private static async Task<Stream> OpenAsync(int port)
    {
        var client = new TcpClient { NoDelay = true };
        await client.ConnectAsync("127.0.0.1", port);
        return client.GetStream();
    }

    private sealed record FramedPair(FramedHost Server, FramedHost Client) : IAsyncDisposable
    {
        public async ValueTask DisposeAsync()
        {
            await Server.DisposeAsync();
            await Client.DisposeAsync();
        }
    }
}
