using Reloaded.Messaging;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;

/// <summary>A player without a window: it walks in a circle, and prints what it sees.</summary>
public sealed class Bot : IAsyncDisposable
{
    private readonly Dictionary<uint, Creature> _seen = [];
    private readonly string _name;
    private MessageClient _client = null!;
    private double _angle;

    private Bot(string name) => _name = name;

    /// <param name="endpoint">The endpoint of the server.</param>
    /// <param name="name">The name of the player.</param>
    /// <param name="stopping">Canceled when the connection ends, for example because the server stops.</param>
    public static async Task<Bot> JoinAsync(MessageEndpoint endpoint, string name, CancellationTokenSource stopping)
    {
        var bot = new Bot(name);
        bot._client = await MessageHost.ConnectAsync(endpoint, bot.Register, Keys.ForPlayers());
        var joined = await bot._client.RequestAsync(new Join(name));
        bot._client.PeerDisconnected += (server, reason) =>
        {
            Console.WriteLine($"The connection ended: {reason}. {server.GoodbyeReason} {server.GoodbyeText}");
            stopping.Cancel();
        };
        await bot._client.SendAsync(new Said(name, $"Hello, I am creature {joined.Creature}."));
        return bot;
    }

    /// <summary>Walks on in a new direction.</summary>
    public void Turn()
    {
        _angle += 0.4;
        _ = _client.Send(new Steer(10 * (float)Math.Cos(_angle), 10 * (float)Math.Sin(_angle))); // the next direction replaces this one
    }

    public override string ToString()
    {
        lock (_seen)
            return $"{_name} sees " + string.Join(", ", _seen.Values.Select(static creature => $"{creature.Name} at {creature.X:N0} {creature.Y:N0}"));
    }

    public ValueTask DisposeAsync() => _client.DisposeAsync();

    private void Register(MessageClient client)
    {
        client.Deliver<Steer>(DeliveryMode.Sequenced);
        client.Deliver<Said>(DeliveryMode.ReliableByType);
        _ = client.On(static (Said said) => Console.WriteLine($"{said.Name}: {said.Text}"));
        _ = client.On(Creature.Updates, Apply);
    }

    private void Apply(in EntityUpdate update, Peer server)
    {
        lock (_seen)
        {
            var reader = update.GetReader();
            while (reader.TryNext(out var id, out var isGone))
            {
                if (isGone)
                    _seen.Remove(id);
                else if (!reader.TryApply(_seen.TryGetValue(id, out var known) ? known : _seen[id] = new Creature()))
                    throw new InvalidDataException("The server sent an invalid creature.");
            }
        }
    }
}
