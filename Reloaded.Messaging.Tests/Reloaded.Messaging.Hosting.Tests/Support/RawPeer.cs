using System.IO;
using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A socket that says what a test wants, and not what a host would.</summary>
internal sealed class RawPeer : IDisposable
{
    private readonly NetworkStream _stream;
    private readonly Socket _socket;

    public RawPeer(Socket socket)
    {
        _socket = socket;
        _stream = new NetworkStream(socket);
    }

    public static async Task<RawPeer> ConnectAsync(MessageEndpoint endpoint)
    {
        // The system does not enlarge a buffer whose size was set. A sender that waits for this buffer therefore continues to wait.
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 64 * 1024 };
        await socket.ConnectAsync(IPAddress.Loopback, endpoint.Port).InTime();
        return new RawPeer(socket);
    }

    /// <summary>One that has said hello, and is taken for a peer.</summary>
    public static async Task<RawPeer> HandshakeAsync(MessageEndpoint endpoint)
    {
        var raw = await ConnectAsync(endpoint);
        await raw.SendAsync([.. Hello(), .. Accept]);
        await raw.ReceiveAsync();
        await raw.ReceiveAsync();
        return raw;
    }

    /// <summary>The last hello: the other side is accepted.</summary>
    public static byte[] Accept => Frame(MessageKind.Control, 0, 0);

    /// <summary>A hello in its frame.</summary>
    public static byte[] Hello(MessageHostOptions? options = null, params MessageContract[] contracts) => Hello(HelloMessage.Create(options ?? new MessageHostOptions(), ContractDescriptor.WriteAll(contracts)));

    /// <summary>A later announcement of contracts in its frame.</summary>
    public static byte[] Announcement(params MessageContract[] contracts) => Frame(MessageKind.Control, 0, 0, ContractDescriptor.WriteAll(contracts));

    public static byte[] Hello(HelloMessage hello) => Frame(MessageKind.Control, 0, 0, hello.Write());

    public static byte[] Frame(MessageKind kind, uint type, uint correlationId, params byte[] payload)
    {
        using var packed = new MessageWriter().PackRaw(new MessageHeader(type, kind, correlationId), payload);
        return [.. Length(packed.Length), .. packed.Span];
    }

    public static byte[] Event<T>(in T message) => Message(in message, MessageKind.Event, 0);

    public static byte[] Request<T>(in T request, uint correlationId) => Message(in request, MessageKind.Request, correlationId);

    public static byte[] Length(int length)
    {
        var bytes = new byte[UVarint.MaxSize];
        return bytes[..UVarint.Write(bytes, (uint)length)];
    }

    public Task SendAsync(byte[] bytes) => _stream.WriteAsync(bytes).AsTask().InTime();

    /// <summary>Sends the end, and still receives.</summary>
    public void EndSending() => _socket.Shutdown(SocketShutdown.Send);

    /// <summary>The next bytes.</summary>
    public async Task<byte[]> ReceiveAsync(int count)
    {
        var bytes = new byte[count];
        await _stream.ReadExactlyAsync(bytes).AsTask().InTime();
        return bytes;
    }

    /// <summary>The next message but pings, which may come at any time.</summary>
    public async Task<(MessageHeader Header, byte[] Payload)> ReceiveAsync()
    {
        while (true)
        {
            var message = await ReceiveAnyAsync();
            if (message.Header is not { Kind: MessageKind.Control, Type: 1 })
                return message;
        }
    }

    /// <summary>The next message.</summary>
    public async Task<(MessageHeader Header, byte[] Payload)> ReceiveAnyAsync()
    {
        var length = 0;
        var one = new byte[1];
        for (var shift = 0; ; shift += 7)
        {
            await _stream.ReadExactlyAsync(one).AsTask().InTime();
            length |= (one[0] & 0x7F) << shift;
            if (one[0] < 0x80)
                break;
        }

        var message = new byte[length];
        await _stream.ReadExactlyAsync(message).AsTask().InTime();
        return MessageHeader.TryRead(message, out var header, out var size) == HeaderStatus.Ok
            ? (header, message[size..])
            : throw new InvalidDataException("The received bytes are not a message.");
    }

    /// <summary>Receives until the other side hangs up.</summary>
    /// <returns>The bytes received before the end.</returns>
    public async Task<List<byte>> ReceiveToEndAsync()
    {
        var all = new List<byte>();
        var buffer = new byte[16 * 1024];
        try
        {
            while (await _stream.ReadAsync(buffer).AsTask().InTime() is > 0 and var received)
                all.AddRange(buffer[..received]);
        }
        catch (IOException)
        {
            return all; // it broke off, which is an end too
        }

        return all;
    }

    /// <summary>Is gone at once, as a killed process is.</summary>
    public void Kill()
    {
        _socket.LingerState = new LingerOption(true, 0);
        _socket.Dispose();
    }

    public void Dispose()
    {
        _stream.Dispose();
        _socket.Dispose();
    }

    private static byte[] Message<T>(in T message, MessageKind kind, uint correlationId)
    {
        using var packed = new MessageWriter().Pack(MessageContract.GetDeclared<T>(), in message, kind, correlationId);
        return [.. Length(packed.Length), .. packed.Span];
    }
}
