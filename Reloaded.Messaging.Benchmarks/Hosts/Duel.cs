using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>Two implementations of the same traffic, the floor and the library. They run alternately, each for a given time per round.</summary>
public sealed class Duel
{
    private const int Rounds = 11;
    private static readonly TimeSpan s_time = TimeSpan.FromMilliseconds(200);

    public List<double> Floor { get; } = [];

    public List<double> Ours { get; } = [];

    public List<double> Ratios { get; } = [];

    /// <param name="floor">Runs for a time and returns the number of messages per second.</param>
    /// <param name="ours">Runs the library for a time and returns the number of messages per second.</param>
    public static async Task<Duel> RunAsync(Func<TimeSpan, Task<double>> floor, Func<TimeSpan, Task<double>> ours)
    {
        var duel = new Duel();
        for (var warmUp = 0; warmUp < 2; warmUp++)
        {
            await floor(s_time);
            await ours(s_time);
        }

        for (var round = 0; round < Rounds; round++)
        {
            duel.Floor.Add(await floor(s_time));
            duel.Ours.Add(await ours(s_time));
            duel.Ratios.Add(duel.Ours[^1] / duel.Floor[^1]);
        }

        return duel;
    }
}
