using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>Shows that a stranger receives at the address it sends from, without keeping anything about it: an HMAC over address, random and time.</summary>
/// <remarks>
/// The key is the server's own and is replaced every 10 seconds; the last one is good for as long again. The connection's id is of the same
/// HMAC, and no part of the cookie: who says its cookie again, since the answer was lost, gets the same connection, and once that has ended,
/// none. Thread-safe.
/// </remarks>
internal sealed class AddressValidator : IDisposable
{
    /// <summary>Generation and HMAC.</summary>
    public const int Size = 1 + CodeSize;

    /// <summary>Connections that may be made in a generation; what is noted of them is bounded by it.</summary>
    public const int MostSpent = 64 * 1024;

    private const int CodeSize = 16;
    private const int KeySize = 32;

    private static readonly TimeSpan s_lifetime = TimeSpan.FromSeconds(10);

    private readonly object _gate = new();
    private readonly TimeProvider _time;
    private readonly byte[][] _keys = [new byte[KeySize], new byte[KeySize]];
    private readonly HashSet<ulong>[] _spent = [[], []];
    private long _since;
    private byte _generation;

    public AddressValidator(TimeProvider time)
    {
        _time = time;
        _since = time.GetTimestamp();
        RandomNumberGenerator.Fill(_keys[0]);
        RandomNumberGenerator.Fill(_keys[1]);
    }

    /// <summary>Makes a cookie.</summary>
    /// <param name="address">Who asks, as the system writes it.</param>
    /// <param name="random">The stranger's.</param>
    /// <param name="cookie">Room for <see cref="Size"/> bytes.</param>
    public void Make(ReadOnlySpan<byte> address, ReadOnlySpan<byte> random, Span<byte> cookie)
    {
        Span<byte> code = stackalloc byte[HMACSHA256.HashSizeInBytes];
        lock (_gate)
        {
            Rotate();
            Hash(_generation, address, random, code);
            cookie[0] = _generation;
        }

        code.Slice(0, CodeSize).CopyTo(cookie.Slice(1));
    }

    /// <summary>Whether a cookie is this server's, this address's, and not too old.</summary>
    /// <param name="address">Who has it.</param>
    /// <param name="random">The same that it was made for.</param>
    /// <param name="cookie">The cookie.</param>
    /// <param name="connection">The id of the connection that it is good for.</param>
    public bool IsRight(ReadOnlySpan<byte> address, ReadOnlySpan<byte> random, ReadOnlySpan<byte> cookie, out ulong connection)
    {
        Span<byte> code = stackalloc byte[HMACSHA256.HashSizeInBytes];
        connection = 0;
        lock (_gate)
        {
            Rotate();
            if (cookie[0] != _generation && cookie[0] != (byte)(_generation - 1))
                return false;
            Hash(cookie[0], address, random, code);
        }

        connection = BinaryPrimitives.ReadUInt64LittleEndian(code.Slice(CodeSize));
        return CryptographicOperations.FixedTimeEquals(code.Slice(0, CodeSize), cookie.Slice(1));
    }

    /// <summary>Notes that a connection was made.</summary>
    /// <returns>False if it had been before.</returns>
    public bool TrySpend(byte generation, ulong connection)
    {
        lock (_gate)
            return _spent[generation % 2].Add(connection);
    }

    /// <summary>Whether more connections may be made by cookies of a generation.</summary>
    public bool HasRoom(byte generation)
    {
        lock (_gate)
            return _spent[generation % 2].Count < MostSpent;
    }

    public void Dispose()
    {
        lock (_gate)
        {
            CryptographicOperations.ZeroMemory(_keys[0]);
            CryptographicOperations.ZeroMemory(_keys[1]);
            RandomNumberGenerator.Fill(_keys[0]); // a datagram that is still under way must not meet a key that anyone knows
            RandomNumberGenerator.Fill(_keys[1]);
        }
    }

    private void Hash(byte generation, ReadOnlySpan<byte> address, ReadOnlySpan<byte> random, Span<byte> code)
    {
        Span<byte> text = stackalloc byte[1 + DatagramFormat.RandomSize + address.Length];
        text[0] = generation;
        random.CopyTo(text.Slice(1));
        address.CopyTo(text.Slice(1 + DatagramFormat.RandomSize));
        HMACSHA256.HashData(_keys[generation % 2], text, code);
    }

    private void Rotate()
    {
        var elapsed = _time.GetElapsedTime(_since);
        if (elapsed < s_lifetime)
            return;
        _since = _time.GetTimestamp();
        Renew();
        if (elapsed >= 2 * s_lifetime)
            Renew(); // nobody asked for so long that the last one is too old as well
    }

    private void Renew()
    {
        _generation++;
        RandomNumberGenerator.Fill(_keys[_generation % 2]);
        _spent[_generation % 2].Clear();
    }
}
