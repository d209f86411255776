using System.Buffers.Binary;
using System.Diagnostics;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Verifies that a client receives datagrams at its source address, without storing state for the client. A cookie is an HMAC of address and random bytes by a key that is renewed.</summary>
/// <remarks>
/// The server renews the key every 10 seconds; the previous key stays valid for another 10 seconds. The connection id is a part of the same
/// HMAC that the cookie does not contain. A client that repeats its cookie, because the answer was lost, therefore gets the same connection.
/// After that connection has ended, the cookie is refused. Thread-safe.
/// </remarks>
internal sealed class AddressValidator : IDisposable
{
    /// <summary>The size of a cookie, in bytes: the generation and the HMAC.</summary>
    public const int Size = 1 + CodeSize;

    /// <summary>The maximum number of connections per key generation. It bounds the memory for used cookies.</summary>
    public const int MaxSpent = 64 * 1024;

    private const int CodeSize = 16;
    private const int KeySize = 32;

    private static readonly TimeSpan s_lifetime = TimeSpan.FromSeconds(10);

    private readonly object _gate = new();
    private readonly TimeProvider _time;
    private readonly byte[][] _keys = [new byte[KeySize], new byte[KeySize]];
    private readonly HashSet<ulong>[] _spent = [[], []];
    private readonly long _begun;
    private long _periods; // the lifetimes that have begun
    private byte _generation;

    public AddressValidator(TimeProvider time)
    {
        _time = time;
        _begun = time.GetTimestamp();
        RandomNumberGenerator.Fill(_keys[0]);
        RandomNumberGenerator.Fill(_keys[1]);
    }

    /// <summary>The current time, which is read before the lock is taken, because the clock may be code of the program.</summary>
    private TimeSpan Now => _time.GetElapsedTime(_begun);

    /// <summary>Creates a cookie.</summary>
    /// <param name="address">The source address, as a system socket address.</param>
    /// <param name="random">The random bytes of the client.</param>
    /// <param name="cookie">Receives the cookie: <see cref="Size"/> bytes.</param>
    public void Make(ReadOnlySpan<byte> address, ReadOnlySpan<byte> random, Span<byte> cookie)
    {
        Span<byte> code = stackalloc byte[HMACSHA256.HashSizeInBytes];
        var now = Now;
        lock (_gate)
        {
            Rotate(now);
            Hash(_generation, address, random, code);
            cookie[0] = _generation;
        }

        code.Slice(0, CodeSize).CopyTo(cookie.Slice(1));
    }

    /// <summary>Returns whether a cookie was issued by this server for this address, and has not expired.</summary>
    /// <param name="address">The source address of the datagram.</param>
    /// <param name="random">The random bytes for which the cookie was created.</param>
    /// <param name="cookie">The cookie.</param>
    /// <param name="connection">Receives the id of the connection that the cookie may open.</param>
    public bool IsRight(ReadOnlySpan<byte> address, ReadOnlySpan<byte> random, ReadOnlySpan<byte> cookie, out ulong connection)
    {
        Span<byte> code = stackalloc byte[HMACSHA256.HashSizeInBytes];
        connection = 0;
        var now = Now;
        lock (_gate)
        {
            Rotate(now);
            if (cookie[0] != _generation && cookie[0] != (byte)(_generation - 1))
                return false;
            Hash(cookie[0], address, random, code);
        }

        connection = BinaryPrimitives.ReadUInt64LittleEndian(code.Slice(CodeSize));
        return CryptographicOperations.FixedTimeEquals(code.Slice(0, CodeSize), cookie.Slice(1));
    }

    /// <summary>Records that a cookie opened a connection.</summary>
    /// <returns><see langword="true"/> if the cookie was not used before; otherwise, <see langword="false"/>.</returns>
    public bool TrySpend(byte generation, ulong connection)
    {
        lock (_gate)
            return _spent[generation % 2].Add(connection);
    }

    /// <summary>Returns whether cookies of a generation may open more connections.</summary>
    public bool HasRoom(byte generation)
    {
        lock (_gate)
            return _spent[generation % 2].Count < MaxSpent;
    }

    public void Dispose()
    {
        lock (_gate)
        {
            RandomNumberGenerator.Fill(_keys[0]); // random instead of zeros: a datagram that is handled during Dispose must not be checked with a known key
            RandomNumberGenerator.Fill(_keys[1]);
        }
    }

    private void Hash(byte generation, ReadOnlySpan<byte> address, ReadOnlySpan<byte> random, Span<byte> code)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        Span<byte> text = stackalloc byte[DatagramFormat.RandomSize + address.Length];
        random.CopyTo(text);
        address.CopyTo(text.Slice(DatagramFormat.RandomSize));
        HMACSHA256.HashData(_keys[generation % 2], text, code); // each generation has its own key
    }

    private void Rotate(TimeSpan now)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        var periods = now.Ticks / s_lifetime.Ticks;
        for (_periods = Math.Max(_periods, periods - 2); _periods < periods; _periods++)
            Renew(); // both keys, if no cookie was used for two lifetimes
    }

    private void Renew()
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        _generation++;
        RandomNumberGenerator.Fill(_keys[_generation % 2]);
        _spent[_generation % 2].Clear();
    }
}
