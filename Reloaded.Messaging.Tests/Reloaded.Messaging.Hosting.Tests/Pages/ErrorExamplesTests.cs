using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The examples of docs/errors.md: the messages of the exceptions are those of the library, and the code is compiled and run.</summary>
public sealed class ErrorExamplesTests
{
    private static readonly List<string> s_messages = [.. Page.ReadBlocks("errors.md", "text").Select(static block => block.TrimEnd('\n'))];

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"errors-{Guid.NewGuid():N}");

    [Fact]
    public async Task Connecting_without_server_throws_message_of_page()
    {
        var waiting = new MessageHostOptions { Reconnect = new ReconnectOptions() };
        var connecting = MessageHost.ConnectAsync(_endpoint, options: waiting);

        AssertShown(await Assert.ThrowsAsync<TransportClosedException>(() => MessageHost.ConnectAsync(_endpoint).InTime()));

        await using var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await connecting.InTime();
        Assert.Equal(ClientState.Connected, client.State);
    }

    [Fact]
    public async Task Wrong_token_throws_message_of_page()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, options: new MessageHostOptions { Token = new byte[32] });

        var refused = await Assert.ThrowsAsync<HandshakeException>(() => MessageHost.ConnectAsync(_endpoint, options: new MessageHostOptions { Token = Enumerable.Repeat((byte)1, 32).ToArray() }).InTime());

        AssertShown(refused);
    }

    [Fact]
    public async Task Process_without_server_throws_message_of_page()
    {
        var endpoint = MessageEndpoint.OfProcess(Environment.ProcessId, "my-game-of-errors");

        var missing = await Assert.ThrowsAsync<DiscoveryException>(() => MessageHost.ConnectAsync(endpoint).InTime());

        Assert.Contains(missing.Message.Replace($"Process {Environment.ProcessId}", "Process 4711", StringComparison.Ordinal).Replace("my-game-of-errors", "my-game", StringComparison.Ordinal), s_messages);

        foreach (var found in MessageEndpoint.FindServers("my-game"))
            Console.WriteLine(found);
    }

    [Fact]
    public async Task Requests_fail_as_on_page()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, host =>
        {
            host.HandlerFailed += static _ => { };
            host.OnRequest((Note _) => throw new InvalidOperationException());
            host.OnRequest((Ping ping) => ping.Number > 0 ? new Pong(ping.Number) : throw new RequestFaultException(1000, "The number must be positive."));
        });
        await using var client = await MessageHost.ConnectAsync(_endpoint, client => client.PeerDisconnected += (server, reason) => Console.Error.WriteLine($"Ended: {reason}. The server said: {server.GoodbyeReason} {server.GoodbyeText}"));
        var peer = client.Server;

        try
        {
            await client.RequestAsync<Ping, Pong>(new Ping(-1));
        }
        catch (RequestFaultException fault) when (fault.Code == 1000)
        {
            Console.Error.WriteLine(fault.Message);
        }

        var result = await client.TryRequestAsync<Ping, Pong>(new Ping(1));
        var text = result.Status switch
        {
            RequestStatus.Replied => $"The reply is {result.Reply.Number}.",
            RequestStatus.Faulted => $"Refused with {result.Fault!.Code}: {result.Fault.Message}",
            RequestStatus.NotSent or RequestStatus.Full or RequestStatus.TooLarge or RequestStatus.ContractMismatch => $"Not sent: {result.Status}. The remote side has not seen the request.",
            _ => $"No reply: {result.Status}. The remote side may have handled the request.",
        };
        Assert.Equal("The reply is 1.", text);

        AssertShown(await Assert.ThrowsAsync<RequestFaultException>(() => client.RequestAsync<Note, Acknowledgement>(new Note("")).AsTask().InTime()));
        AssertShown(Assert.Throws<MessageTooLargeException>(() => client.Send(new Note(new string('a', 2_000_000)))));
        await client.Server.DisconnectAsync().InTime();
        AssertShown(await Assert.ThrowsAsync<RequestFailedException>(() => peer.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime()));

        var sent = await peer.SendAsync(new Note("Hello.")); // Waits while the status would be Full.
        if (sent != SendStatus.Sent)
            Console.Error.WriteLine($"The note to {peer} was not sent: {sent}.");
        Assert.Equal(SendStatus.Closed, sent);
    }

    [Fact]
    public async Task Larger_message_is_sent_with_limit_of_page()
    {
        var larger = new MessageHostOptions { MessageLimits = new MessageLimits { MaxMessageSize = 4 << 20 } };
        await using var server = await MessageHost.ListenAsync(_endpoint, host => host.OnRequest((Note note) => new Pong(note.Text.Length)), larger);
        await using var client = await MessageHost.ConnectAsync(_endpoint, options: larger);

        Assert.Equal(2_000_000, (await client.RequestAsync<Note, Pong>(new Note(new string('a', 2_000_000))).AsTask().InTime()).Number);
    }

    [Fact]
    public async Task Failed_file_throws_message_of_page()
    {
        await using var server = await MessageHost.ListenAsync(_endpoint, host => host.OnFileRequest(static (_, _) => new MemoryStream(new byte[1000])));
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        AssertShown(await Assert.ThrowsAsync<FileTransferException>(() => client.Server.ReceiveFileAsync("log", new FullDisk()).InTime()));
    }

    [Fact]
    public void Dropped_message_has_status()
    {
        var (dispatcher, state, received) = (new MessageDispatcher<int>(), 0, new byte[] { 3 });

        var status = dispatcher.Dispatch(received, ref state);
        if (status is not (DispatchStatus.Handled or DispatchStatus.HandledByFallback))
            Console.Error.WriteLine($"A message of {received.Length} bytes was dropped: {status}.");
        Assert.Equal(DispatchStatus.NoHandler, status);
    }

    [Fact]
    public async Task Dropped_datagrams_are_counted()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Udp(0));

        foreach (var reason in Enum.GetValues<DatagramDropReason>())
            Console.WriteLine($"{reason}: {server.GetCount(reason)}");
        Assert.All(Enum.GetValues<DatagramDropReason>(), reason => Assert.Equal(0, server.GetCount(reason)));
    }

    [Fact]
    public void Page_shows_compiled_lines()
    {
        // On the page, the subscription is a statement.
        var shown = Page.ReadShown("errors.md").Select(static line => line.StartsWith("client.PeerDisconnected", StringComparison.Ordinal) ? line.TrimEnd(';') : line).ToList();
        var code = Page.ReadCode("ErrorExamplesTests.cs.txt");

        Assert.InRange(shown.Count, 30, 60);
        Assert.All(shown, line => Assert.Contains(code, compiled => compiled.Contains(line, StringComparison.Ordinal)));
    }

    private void AssertShown(Exception exception)
    {
        var message = exception.Message.Replace(_endpoint.Address, "my-game", StringComparison.Ordinal).Replace(typeof(Note).Namespace!, "MyGame", StringComparison.Ordinal);
        Assert.True(s_messages.Contains(message), $"The page does not show '{message}'");
    }

    private sealed class FullDisk : MemoryStream
    {
        public override void Write(byte[] buffer, int offset, int count) => throw new IOException("No space left on device.");

        public override void Write(ReadOnlySpan<byte> buffer) => throw new IOException("No space left on device.");

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) => throw new IOException("No space left on device.");
    }
}
