using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;
using LiteNetLib;
using LiteNetLib.Utils;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>The data of a connection request: the connection key, as LiteNetLib writes it, and the number of channels. A program built on 2.0 sends the key alone.</summary>
/// <remarks>LiteNetLib drops the packets of a channel that the receiver does not have, so the two sides need the same number.</remarks>
internal sealed class LiteNetGreeting
{
    /// <summary>The refusal of another key. A refusal of another number of channels is the number of the server.</summary>
    public const byte WrongKey = 0;

    private readonly byte[] _data;
    private readonly int _keySize;

    public LiteNetGreeting(LiteNetOptions options, bool isCompatible)
    {
        var writer = NetDataWriter.FromString(options.ConnectionKey);
        _keySize = writer.Length;
        if (!isCompatible)
            writer.Put((byte)options.Channels);
        _data = writer.CopyData();
    }

    public ReadOnlySpan<byte> Data => _data;

    /// <summary>Compares the greeting of a client with this one.</summary>
    /// <param name="theirs">Untrusted bytes.</param>
    /// <param name="refusal">The byte to refuse the client with.</param>
    /// <returns><c>true</c> if the client has the same key and number of channels; otherwise, <c>false</c>.</returns>
    public bool Accepts(ReadOnlySpan<byte> theirs, out byte refusal)
    {
        refusal = theirs.StartsWith(_data.AsSpan(0, _keySize)) ? _data[^1] : WrongKey;
        return theirs.SequenceEqual(_data);
    }
}
