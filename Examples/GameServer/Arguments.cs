using System.Globalization;

namespace GameServer;

/// <summary>The arguments of the program.</summary>
/// <param name="Transport">The transport: tcp, udp or litenet.</param>
/// <param name="Seconds">The time to run, in seconds.</param>
/// <param name="Players">The number of players.</param>
/// <param name="Loss">Over UDP: the share of datagrams that are lost in each direction, in percent.</param>
/// <param name="Delay">Over UDP: the round-trip time of the path, in milliseconds.</param>
internal sealed record Arguments(string Transport = "tcp", int Seconds = 5, int Players = 40, int Loss = 0, int Delay = 0)
{
    public const string Usage =
        "Usage: GameServer [udp [--loss PERCENT] [--delay MS] | litenet] [SECONDS [PLAYERS]] (over TCP by default; 1 to 1000 seconds and players, 5 and 40 by default; a loss of 0 to 50 %, and a round trip of 0 to 1000 ms)";

    public static bool TryParse(string[] args, out Arguments arguments)
    {
        arguments = new Arguments();
        var (index, numbers) = (0, 0);
        if (args is ["udp" or "litenet", ..])
            arguments = arguments with { Transport = args[index++] };
        for (; index < args.Length; index++)
        {
            var isOption = args[index] is "--loss" or "--delay";
            if (isOption && (arguments.Transport != "udp" || index + 1 == args.Length))
                return false;
            if (!int.TryParse(isOption ? args[index + 1] : args[index], NumberStyles.None, CultureInfo.InvariantCulture, out var number))
                return false;
            switch (isOption ? args[index++] : "")
            {
                case "--loss" when number <= 50:
                    arguments = arguments with { Loss = number };
                    break;
                case "--delay" when number <= 1000:
                    arguments = arguments with { Delay = number };
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
