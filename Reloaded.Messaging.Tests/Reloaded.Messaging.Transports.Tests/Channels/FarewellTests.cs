using System.IO;
using System.IO.Pipes;
using System.Net.Security;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Channels;

/// <summary>A stream of the framework throws while a channel is disposed. The channel closes its connection in any case.</summary>
public sealed class FarewellTests : IDisposable
{
    private readonly Certificates _certificates = new();

    private static IEnumerable<Exception> Failures =>
    [
        new IOException("gone"), new SocketException((int)SocketError.ConnectionReset), new ObjectDisposedException("stream"), new InvalidOperationException("broken"),
        new NotSupportedException("half"), new AuthenticationException("alert"), new CryptographicException("application data after close notify"), new UnauthorizedAccessException("denied"),
        new WebSocketException("aborted"), new OperationCanceledException("aborted"), new TimeoutException("slow"), new TransportClosedException("closed"), new Unlisted(),
    ];

    public void Dispose() => _certificates.Dispose();

    [Fact]
    public async Task Farewell_of_TLS_throws_channel_is_disposed()
    {
        foreach (var failure in Failures)
        {
            await AssertIsDisposedAsync(failure, async (server, client) =>
            {
                _ = new TlsChannel(server, stream => stream.AuthenticateAsServerAsync(new SslServerAuthenticationOptions { ServerCertificate = _certificates.Server.Certificate }), static e => e.Message);
                return await TlsClient.EncryptAsync(client, new TransportAddress(InProcessTransport.Instance, "127.0.0.1", 1), _certificates.Pinning, Deadline.Length, default);
            });
        }
    }

    [Fact]
    public async Task Farewell_of_a_WebSocket_throws_channel_is_disposed()
    {
        foreach (var failure in Failures)
        {
            await AssertIsDisposedAsync(failure, static async (server, client) =>
            {
                var address = new TransportAddress(InProcessTransport.Instance, "127.0.0.1", 1);
                var answering = WebSocketUpgrade.AnswerAsync(server, address, new WebSocketEndpointOptions());
                var channel = new WebSocketChannel(client, WebSocketUpgrade.AskAsync(client, address, new WebSocketEndpointOptions().Path));
                await answering;
                await channel.OpenAsync(default);
                return channel;
            });
        }
    }

    [Fact]
    public async Task Last_read_of_a_pipe_throws_pipe_is_closed()
    {
        foreach (var failure in Failures)
        {
            var pipe = new ReadPipe(() => throw failure);

            await new PipeChannel(pipe, "pipe://failing").DisposeAsync();

            Assert.True(pipe.IsClosed, failure.ToString());
        }
    }

    [Fact]
    public async Task Other_side_of_a_pipe_writes_without_a_pause_pipe_is_closed()
    {
        var pipe = new ReadPipe(static () => 1);

        await Task.Run(() => new PipeChannel(pipe, "pipe://endless").DisposeAsync().AsTask()).InTime();

        Assert.True(pipe.IsClosed);
    }

    [Fact]
    public async Task Disposal_of_one_stream_throws_other_stream_is_closed()
    {
        foreach (var failure in Failures)
        {
            foreach (var isAborted in new[] { false, true })
            {
                var input = new MemoryStream();
                var channel = new StreamChannel(input, new FailingStream(failure), "stream://failing");

                try
                {
                    await (isAborted ? Abort(channel) : channel.DisposeAsync());
                }
                catch (Exception e)
                {
                    Assert.Same(failure, e); // the host reports an exception that does not mean an end
                }

                Assert.False(input.CanRead, failure.ToString());
            }
        }

        static ValueTask Abort(StreamChannel channel)
        {
            channel.Abort();
            return default;
        }
    }

    [Fact]
    public async Task Cancellation_between_two_writes_of_a_send_cancels_the_send()
    {
        using var source = new CancellationTokenSource();
        await using var channel = new AbortedChannel(source);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => channel.SendAsync(new byte[2], source.Token).AsTask());
    }

    /// <summary>Opens a channel over another one, which then throws at each send, and disposes it.</summary>
    private static async Task AssertIsDisposedAsync(Exception failure, Func<TransportChannel, TransportChannel, Task<TransportChannel>> open)
    {
        var (server, client) = InProcessChannel.CreatePair("farewell");
        var sends = 0;
        var wire = new AlteringChannel(client);
        var channel = await open(server, wire).InTime();
        wire.Alter = bytes =>
        {
            sends++;
            throw failure;
        };

        await channel.DisposeAsync().AsTask().InTime();

        Assert.True(sends == 1, $"{sends} sends with {failure}");
        await Assert.ThrowsAsync<TransportClosedException>(() => client.ReceiveAsync(new byte[1], default).AsTask().InTime());
    }

    /// <summary>Is aborted by a cancellation that follows its first write, as a WebSocket may be.</summary>
    private sealed class AbortedChannel(CancellationTokenSource source) : HandshakingChannel(InProcessChannel.CreatePair("aborted").Client)
    {
        protected override Task Handshake => Task.CompletedTask;

        protected override int MaxWrite => 1;

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer, CancellationToken cancellationToken) => Inner.ReceiveAsync(buffer, cancellationToken);

        protected override ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
        {
            if (source.IsCancellationRequested)
                throw new WebSocketException("The WebSocket is in an invalid state ('Aborted').");
            source.Cancel();
            return default;
        }

        protected override Task SendFarewellAsync() => Task.CompletedTask;

        protected override bool IsEnd(Exception e, CancellationToken cancellationToken) => e is WebSocketException;
    }

    /// <summary>Stands for the internal exceptions of the framework.</summary>
    private sealed class Unlisted() : Exception("internal");

    private sealed class FailingStream(Exception failure) : MemoryStream
    {
        protected override void Dispose(bool disposing)
        {
            base.Dispose(disposing);
            throw failure;
        }
    }

    private sealed class ReadPipe(Func<int> read) : PipeStream(PipeDirection.InOut, 0)
    {
        public bool IsClosed { get; private set; }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => new(read());

        protected override void Dispose(bool disposing)
        {
            IsClosed = true;
            base.Dispose(disposing);
        }
    }
}
