using Reloaded.Messaging;

namespace GameServer.Bots;

/// <summary>A request to the process of the bots: enter the world. The reply follows when all have entered.</summary>
[Message(101)]
public sealed record EnterAll(string Transport, int Port, byte[] Token, string ServerKey, int Players, PathConditions Path) : IRequest;

/// <summary>A request to the process of the bots: stop playing, and stay connected.</summary>
[Message(102)]
public readonly record struct StopPlaying : IRequest;

/// <summary>A request to the process of the bots: what have the players seen since the last such request?</summary>
[Message(103)]
public readonly record struct Look : IRequest<Views>;

/// <summary>The reply to <see cref="Look"/>.</summary>
/// <param name="Players">How each player sees the world.</param>
/// <param name="ProcessorTime">The processor time of the process since its start, in seconds.</param>
[Message(104)]
public sealed record Views(PlayerView[] Players, double ProcessorTime);

/// <summary>How a player sees the world. Times are in milliseconds.</summary>
/// <param name="Creature">The creature of the player.</param>
/// <param name="Fingerprint">The sum of the fingerprints of the creatures that the player sees.</param>
/// <param name="Heard">The number of shouts that the player has heard.</param>
/// <param name="RoundTrip">The round-trip time of the network path.</param>
/// <param name="LostIn">The share of the datagrams to the player that were lost lately (0–1).</param>
/// <param name="Updates">The updates per second.</param>
/// <param name="LongestPause">The longest time between two updates.</param>
/// <param name="Requests">The times between the shouts and their acknowledgements.</param>
[Message(105)]
public readonly record struct PlayerView(uint Creature, ulong Fingerprint, int Heard, double RoundTrip, double LostIn, double Updates, double LongestPause, double[] Requests);
