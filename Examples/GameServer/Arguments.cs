using System;
using System.Globalization;
using GameServer.Bots;

namespace GameServer;

/// <summary>The arguments of the program.</summary>
/// <param name="Transport">The transport: tcp, udp or litenet.</param>
/// <param name="Seconds">The time to run, in seconds.</param>
/// <param name="Players">The number of players.</param>
/// <param name="Walks">Whether the path changes every ten seconds. Not over TCP.</param>
/// <param name="Path">The path between the players and the server. Not over TCP.</param>
internal sealed record Arguments(string Transport = "tcp", int Seconds = 5, int Players = 40, bool Walks = false, PathConditions Path = default)
{
    /// <summary>The file of the server's private key, which the first run creates.</summary>
    public string KeyFile { get; init; } = System.IO.Path.Combine(AppContext.BaseDirectory, "server.pem");

    public const string Usage =
        "Usage: GameServer [udp|litenet [--loss PERCENT] [--delay MS] [--rate KBIT] [--walk]] [--key FILE] [SECONDS [PLAYERS]] (over TCP by default; 1 to 1000 seconds and players, 5 and 40 by default; a loss of 0 to 50 %, a round trip of 0 to 1000 ms, a rate for each player, and the file of the server's private key, which is created)";

    public static bool TryParse(string[] args, out Arguments arguments)
    {
        arguments = new Arguments();
        var (index, numbers) = (0, 0);
        if (args is ["udp" or "litenet", ..])
            arguments = arguments with { Transport = args[index++] };
        for (; index < args.Length; index++)
        {
            var option = args[index].StartsWith('-') ? args[index] : "";
            if (option == "--key" && index + 1 < args.Length)
            {
                arguments = arguments with { KeyFile = args[++index] };
                continue;
            }

            if (option.Length > 0 && arguments.Transport == "tcp")
                return false;
            if (option == "--walk")
            {
                arguments = arguments with { Walks = true };
                continue;
            }

            if (option.Length > 0 && ++index == args.Length)
                return false;
            if (!int.TryParse(args[index], NumberStyles.None, CultureInfo.InvariantCulture, out var number))
                return false;
            switch (option)
            {
                case "--loss" when number <= 50:
                    arguments = arguments with { Path = arguments.Path with { Loss = number } };
                    break;
                case "--delay" when number <= 1000:
                    arguments = arguments with { Path = arguments.Path with { Delay = number } };
                    break;
                case "--rate" when number > 0:
                    arguments = arguments with { Path = arguments.Path with { Rate = number } };
                    break;
                case "" when number is >= 1 and <= 1000 && numbers < 2:
                    arguments = numbers++ == 0 ? arguments with { Seconds = number } : arguments with { Players = number };
                    break;
                default:
                    return false;
            }
        }

        return true;
    }
}
