using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>What datagrams look like.</summary>
/// <remarks>
/// <code>
/// hello    01 "RMU" 01 · 16 random bytes · zeros up to 64 bytes       to the server, which keeps nothing and answers
/// cookie   02 · the random · 17 bytes                                 less than the hello was
/// connect  03 · the random · the cookie · [offer of keys]             now there is a connection
/// accept   04 · the random · connection, 8 bytes · [answer]
/// refuse   05 · the random · [reason, if it is not the protection]    of the server; not authenticated: see UdpHandshake
/// refuse   05 · connection · reason                                   of the client
/// plain    06 · connection · part · body
/// sealed   07 · connection · lowest byte of the epoch · number, uint64 · sealed (part · body) · tag, 16 bytes
/// </code>
/// Numbers are little-endian. Parts are in <see cref="DatagramPart"/>.
/// </remarks>
internal static class DatagramFormat
{
    public const byte Hello = 1;
    public const byte Cookie = 2;
    public const byte Connect = 3;
    public const byte Accept = 4;
    public const byte Refuse = 5;
    public const byte Plain = 6;
    public const byte Sealed = 7;

    public const int HelloSize = 64;
    public const int RandomSize = 16;
    public const int IdSize = 8;
    public const int ConnectSize = 1 + RandomSize + AddressValidator.Size;
    public const int AcceptHeader = 1 + RandomSize + IdSize;
    public const int RefuseSize = 1 + RandomSize;
    public const int PlainHeader = 1 + IdSize;
    public const int SealedHeader = PlainHeader + 1 + sizeof(ulong);

    /// <summary>The reason of a refusal: the sides are protected in different ways, or know different secrets.</summary>
    public const byte WrongProtection = 15;

    /// <summary>The reason of a refusal: the client's address is locked out.</summary>
    public const byte LockedOut = 22;

    public static ReadOnlySpan<byte> Magic => [Hello, (byte)'R', (byte)'M', (byte)'U', 1];

    /// <summary>Whether bytes are whole frames, one or many.</summary>
    public static bool AreFrames(ReadOnlySpan<byte> body)
    {
        if (body.IsEmpty)
            return false;
        while (!body.IsEmpty)
        {
            if (Frame.TryRead(ref body, int.MaxValue, out _) != FrameStatus.Ok)
                return false;
        }

        return true;
    }
}
