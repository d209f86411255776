using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace Worker;

/// <summary>A player who joins the lobby.</summary>
[Message(1)]
public sealed record Join(string Player) : IRequest<Joined>;

/// <summary>The seat of a player.</summary>
[Message(2)]
public sealed record Joined(int Seat);
