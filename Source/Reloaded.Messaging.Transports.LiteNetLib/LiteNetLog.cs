using System.Globalization;
using System.IO;
using System.Net;
using LiteNetLib;
using LiteNetLib.Layers;

namespace Reloaded.Messaging.Transports.LiteNetLib;

/// <summary>Passes the errors that LiteNetLib logs to the host on whose thread they occur, and not to the console.</summary>
/// <remarks>LiteNetLib has one logger for the process. A logger of the program stays. Lines of managers that do not belong to a host are written to the console, as LiteNetLib does.</remarks>
internal sealed class LiteNetLog : INetLogger
{
    private static readonly LiteNetLog s_instance = new();

    [ThreadStatic]
    private static DatagramCounters? t_host;

    /// <summary>Sets this logger, unless the program has set one.</summary>
    public static void Install() => NetDebug.Logger ??= s_instance;

    /// <summary>Assigns this thread, which belongs to LiteNetLib, to a host.</summary>
    public static void AssignThread(DatagramCounters host) => t_host = host;

    public void WriteNet(NetLogLevel level, string str, params object[] args)
    {
        var text = args.Length == 0 ? str : string.Format(CultureInfo.InvariantCulture, str, args);
        if (t_host is { } host && level is (NetLogLevel.Error or NetLogLevel.Warning))
            host.CountFailure(new InvalidDataException($"LiteNetLib reports: {text}"));
        else
            Console.WriteLine(text);
    }
}
