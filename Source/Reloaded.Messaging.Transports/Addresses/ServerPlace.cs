using System.Globalization;
using System.IO;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>An address of a published server.</summary>
internal sealed class ServerPlace(string kind, string name, int port, bool ownsSocket)
{
    /// <summary>The kind of transport: see <see cref="ProcessTransport.GetKind"/>.</summary>
    public readonly string Kind = kind;

    /// <summary>The name, host or path of the address.</summary>
    public readonly string Name = name;

    /// <summary>The port of the address, or 0.</summary>
    public readonly int Port = port;

    /// <summary>Whether the socket file of the address belongs to the entry and is removed with it.</summary>
    public readonly bool OwnsSocket = ownsSocket;

    private const string Own = "own";
    private const string Other = "other";

    public string Write() => FormattableString.Invariant($"{Kind} {Port} {(OwnsSocket ? Own : Other)} {Name}\n");

    /// <returns>The place, or <see langword="null"/> if the line does not describe one.</returns>
    public static ServerPlace? TryRead(string line) =>
        line.Split(' ', 4) is [var kind, var portText, Own or Other, var name] &&
        ProcessTransport.IsKind(kind) &&
        !string.IsNullOrWhiteSpace(name) &&
        ushort.TryParse(portText, NumberStyles.None, CultureInfo.InvariantCulture, out var port)
            ? new ServerPlace(kind, name, port, line.Split(' ')[2] == Own)
            : null;

    /// <summary>Removes the socket file, if the entry owns it.</summary>
    public void RemoveSocket()
    {
        if (!OwnsSocket || OperatingSystem.IsWindows())
            return;
        var path = Kind == ProcessTransport.SharedMemory ? SharedMemoryTransport.GetSocketPath(Name) : Name;
        File.Delete(path);
        File.Delete(path + ".lock");
    }
}
