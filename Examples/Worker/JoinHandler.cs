using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Hosting;

namespace Worker;

/// <summary>Gives each player a seat. Each request has an instance of its own, and the seats are a singleton.</summary>
public sealed class JoinHandler(Seats seats) : IRequestHandler<Join, Joined>
{
    public ValueTask<Joined> HandleAsync(Join request, Peer from, CancellationToken cancellationToken) => request.Player.Length > 0
        ? new(new Joined(seats.Next()))
        : throw new RequestFaultException(1000, "A player needs a name.");
}
