using System.Buffers.Binary;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>The format of datagrams.</summary>
/// <remarks>
/// <code>
/// hello    01 "RMU" 01 · 16 random bytes · zeros up to 64 bytes       to the server, which answers without storing state
/// cookie   02 · the random · 17 bytes                                 smaller than the hello
/// connect  03 · the random · the cookie · [offer of keys]             opens the connection
/// accept   04 · the random · connection, 8 bytes · [answer]
/// refuse   05 · the random · [reason, unless it is the protection]    from the server; not authenticated, see UdpHandshake
/// plain    06 · connection · number, uint64 · parts
/// sealed   07 · connection · lowest byte of the epoch · number, uint64 · sealed (parts) · tag, 16 bytes
/// </code>
/// Numbers are little-endian. A part is one byte <see cref="DatagramPart"/>, the size of its body as uint16, and the body.
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
    public const int IdHeader = 1 + IdSize;
    public const int PlainHeader = IdHeader + sizeof(ulong);
    public const int SealedHeader = IdHeader + 1 + sizeof(ulong);
    public const int PartHeader = 1 + sizeof(ushort);
    public const int DataHeader = 1 + sizeof(ulong);
    public const int RoomSize = 1 + sizeof(ulong);
    public const int ChallengeSize = sizeof(ulong);

    /// <summary>A reason for a refusal: the address of the client is locked out.</summary>
    public const byte LockedOut = 22;

    public static ReadOnlySpan<byte> Magic => [Hello, (byte)'R', (byte)'M', (byte)'U', 1];
}
