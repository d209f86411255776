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
    private long _begin = Stopwatch.GetTimestamp();
    private MessageClient _client = null!;
    private long _lastUpdate;
    private long _updates;
    private TimeSpan _longestPause;
    private List<double> _requests = [];
    private int _heard;
    private uint _creature;

    private Bot(int number) => _random = new Random(number);

    public static MessageHostOptions OptionsFor(ReadOnlyMemory<byte> token, string serverKey) => new() { Token = token, Protection = ProtectionOptions.WithServerKey(serverKey) };

    public static async Task<Bot> EnterAsync(MessageEndpoint endpoint, MessageHostOptions options, int number)
    {
        var bot = new Bot(number);
        bot._client = await MessageHost.ConnectAsync(endpoint, bot.Register, options);
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
                _ = ShoutAsync();
            await timer.WaitForNextTickAsync(CancellationToken.None);
        }
    }

    /// <summary>Returns what the player has seen since the last call.</summary>
    public PlayerView Look()
    {
        var statistics = _client.Server.GetStatistics();
        lock (_gate)
        {
            var fingerprint = 0UL;
            foreach (var copy in _copies.Values)
                fingerprint += copy.Fingerprint;
            var view = new PlayerView(
                _creature,
                fingerprint,
                Volatile.Read(ref _heard),
                (statistics.Path?.RoundTripTime ?? statistics.RoundTripTime).TotalMilliseconds,
                statistics.Path?.ReceivedLossShare ?? 0,
                _updates / Stopwatch.GetElapsedTime(_begin).TotalSeconds,
                _longestPause.TotalMilliseconds,
                [.. _requests]);
            (_begin, _updates, _longestPause, _requests) = (Stopwatch.GetTimestamp(), 0, default, []);
            return view;
        }
    }

    public ValueTask DisposeAsync() => _client.DisposeAsync();

    private async Task ShoutAsync()
    {
        var begin = Stopwatch.GetTimestamp();
        _ = await _client.TryRequestAsync(new Shout("Is anybody there?")); // one that fails has taken its time too
        var took = Stopwatch.GetElapsedTime(begin);
        lock (_gate)
            _requests.Add(took.TotalMilliseconds);
    }

    private void Register(MessageClient client)
    {
        // Over UDP. Over other transports, every event arrives, in order.
        client.Deliver<Move>(DeliveryMode.Sequenced);
        _ = client.On((in Heard _, Peer _) => Interlocked.Increment(ref _heard));
        _ = client.On(WorldServer.Updates, (in EntityUpdate update, Peer _) =>
        {
            lock (_gate)
                Apply(update);
        });
    }

    private void Apply(EntityUpdate update)
    {
        var now = Stopwatch.GetTimestamp();
        _updates++;
        if (_lastUpdate != 0 && Stopwatch.GetElapsedTime(_lastUpdate, now) is var pause && pause > _longestPause)
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
