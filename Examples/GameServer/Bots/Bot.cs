using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using GameServer.Worlds;
using Reloaded.Messaging;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Hosting;

namespace GameServer.Bots;

/// <summary>A player that walks around, sometimes shouts, and keeps copies of the creatures that it sees.</summary>
public sealed class Bot : IAsyncDisposable
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(50);

    private readonly Dictionary<uint, Creature> _copies = [];
    private readonly Lock _gate = new();
    private readonly Random _random;
    private readonly long _begin = Stopwatch.GetTimestamp();
    private MessageClient _client = null!;
    private long _lastUpdate;
    private long _updates;
    private TimeSpan _longestPause;
    private uint _creature;

    private Bot(int number) => _random = new Random(number);

    /// <summary>The number of shouts that the bot received.</summary>
    public int Heard { get; private set; }

    public static MessageHostOptions OptionsFor(ReadOnlyMemory<byte> token) => new() { Token = token, Protection = ProtectionOptions.WithToken() };

    public static async Task<Bot> EnterAsync(MessageEndpoint endpoint, ReadOnlyMemory<byte> token, int number)
    {
        var bot = new Bot(number);
        bot._client = await MessageHost.ConnectAsync(endpoint, bot.Register, OptionsFor(token));
        bot._creature = (await bot._client.RequestAsync<Enter, Welcome>(new Enter($"bot {number}"))).Creature;
        return bot;
    }

    /// <summary>Plays until the token is cancelled.</summary>
    public async Task PlayAsync(CancellationToken end)
    {
        using var timer = new PeriodicTimer(s_interval);
        var direction = default(Move);
        for (var i = _random.Next(100); !end.IsCancellationRequested; i++)
        {
            if (i % 20 == 0)
                direction = new Move(_random.NextSingle() - 0.5f, _random.NextSingle() - 0.5f);
            _ = _client.Send(direction); // the next direction replaces this one
            if (i % 100 == 0)
                await _client.SendAsync(new Shout("Is anybody there?"), CancellationToken.None);
            await timer.WaitForNextTickAsync(CancellationToken.None);
        }
    }

    /// <summary>Returns whether the bot has a current copy of each creature that the server sent it. Call it only after the ticks have ended.</summary>
    public bool IsUpToDate(WorldServer server)
    {
        lock (_gate)
        {
            if (_copies.Count == 0 || _copies.Count != server.CountSeen(_creature))
                return false;
            foreach (var (id, copy) in _copies)
            {
                if (server.Find(id) is not { } creature || !creature.LooksLike(copy))
                    return false;
            }

            return true;
        }
    }

    /// <summary>Returns how the player sees the world over UDP.</summary>
    public PlayerView GetView()
    {
        lock (_gate)
            return new PlayerView(_client.Server.GetStatistics().Path.GetValueOrDefault(), _updates / Stopwatch.GetElapsedTime(_begin).TotalSeconds, _longestPause);
    }

    public ValueTask DisposeAsync() => _client.DisposeAsync();

    private void Register(MessageClient client)
    {
        // Over UDP. Over other transports, every event arrives, in order.
        client.Deliver<Move>(DeliveryMode.Sequenced);
        client.Deliver<Shout>(DeliveryMode.ReliableByType);
        _ = client.On((in Heard _, Peer _) => Heard++);
        _ = client.On(WorldServer.Updates, (in EntityUpdate update, Peer _) =>
        {
            lock (_gate)
                Apply(update);
        });
    }

    private void Apply(EntityUpdate update)
    {
        var now = Stopwatch.GetTimestamp();
        if (++_updates > 1 && Stopwatch.GetElapsedTime(_lastUpdate, now) is var pause && pause > _longestPause)
            _longestPause = pause;
        _lastUpdate = now;
        var reader = update.GetReader();
        while (reader.TryNext(out var id, out var isGone))
        {
            if (isGone)
                _copies.Remove(id);
            else if (!reader.TryApply(_copies.TryGetValue(id, out var known) ? known : _copies[id] = new Creature(id)))
                throw new InvalidDataException("The server sent fields that are not valid for a creature.");
        }
    }
}

/// <summary>How a player sees the world.</summary>
/// <param name="Path">The network path.</param>
/// <param name="UpdatesPerSecond">The updates per second since the player entered.</param>
/// <param name="LongestPause">The longest time between two updates.</param>
public readonly record struct PlayerView(PathStatistics Path, double UpdatesPerSecond, TimeSpan LongestPause);
