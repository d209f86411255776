using System.Collections.Generic;
using System.Linq;
using Reloaded.Messaging.Benchmarks.Figures;

namespace Reloaded.Messaging.Benchmarks.Report;

/// <summary>A row of a plot: how fast the library does some work, in multiples of the speed of an alternative.</summary>
/// <param name="Work">The work, as a phrase for the reader.</param>
/// <param name="Alternative">The alternative that does the same work.</param>
/// <param name="Ours">The result of the library: a time or a rate.</param>
/// <param name="Theirs">The result of the alternative, in the same unit.</param>
/// <param name="Ratio">Ours divided by theirs.</param>
/// <param name="FloorRatio">The result of hand-written code divided by theirs; <c>null</c> if there is no such code.</param>
public sealed record SpeedRow(string Work, string Alternative, Figure Ours, Figure Theirs, Figure Ratio, Figure? FloorRatio = null)
{
    // The figures that are plotted beside the comparisons with other libraries, each with its alternative.
    private static readonly (string Figure, string Work, string Alternative)[] s_figures =
    [
        ("dispatch.one", "dispatch a struct, one type", "an array of delegates"),
        ("dispatch.eight", "dispatch structs, eight types mixed", "an array of delegates"),
        ("append", "append a struct to a batch", "a buffer by hand"),
        ("append.all", "append many structs in one call", "storing the bytes by hand"),
        ("pack", "pack a struct and release it", "ArrayPool by hand"),
        ("contract.roundtrip", "pack, dispatch and read a mod configuration", "System.Text.Json"),
        ("echo.tcp.pipelined", "requests over TCP, two connections with 64 in flight each", "System.IO.Pipelines"),
        ("echo.unix.pipelined", "requests over a Unix socket, two connections with 64 in flight each", "System.IO.Pipelines"),
        ("echo.tcp.pingpong", "request over TCP, one at a time", "plain sockets"),
        ("echo.unix.pingpong", "request over a Unix socket, one at a time", "plain sockets"),
        ("echo.pipe.pingpong", "request over a named pipe, one at a time", "plain pipes"),
        ("echo.tcp.window", "requests over TCP, 64 connections with 255 in flight each", "sockets by hand"),
        ("oneway.unix", "events over a Unix socket", "frames by hand"),
        ("broadcast", "broadcast to 100 peers", "a send to each peer"),
        ("shm.pingpong", "request through shared memory", "bare rings"),
        ("shm.oneway", "events through shared memory", "bare rings"),
        ("udp.pingpong", "request over UDP", "plain sockets"),
        ("udp.protected.pingpong", "request over UDP, encrypted", "plain sockets, not encrypted"),
        ("udp.encrypt", "encrypt a datagram", "AES-GCM of the framework"),
        ("reader", "read a packet and call its handler", "a game server's own code"),
        ("queue.old.threads", "queue between two threads", "a game server's own code"),
        ("tracking.idle.200", "update of 200 creatures, none changed", "a game server's own code"),
        ("tracking.tenth.200", "update of 200 creatures, a tenth changed", "a game server's own code"),
        ("tracking.active.200", "update of 200 creatures, all changed", "a game server's own code"),
        ("streams.pack", "pack into a new recyclable stream", "buffers of this library"),
        ("streams.pack-again", "pack into the same recyclable stream", "buffers of this library"),
        ("litenet.pingpong", "request over LiteNetLib", "plain UDP sockets"),
        ("k4os.encode", "compress with K4os", "liblz4"),
        ("k4os.decode", "decompress with K4os", "liblz4"),
    ];

    /// <summary>How many times as fast as the alternative the library is: the median of the rounds.</summary>
    public double Factor => IsTime ? 1 / Ratio.Value : Ratio.Value;

    /// <summary>The factor of the slowest round.</summary>
    public double Low => IsTime ? 1 / Ratio.High : Ratio.Low;

    /// <summary>The factor of the fastest round.</summary>
    public double High => IsTime ? 1 / Ratio.Low : Ratio.High;

    /// <summary>How many times as fast as the alternative the hand-written code is; <c>null</c> if there is no such code.</summary>
    public double? Floor => FloorRatio is { } floor ? IsTime ? 1 / floor.Value : floor.Value : null;

    private bool IsTime => Ours.Unit == "ns";

    /// <summary>Returns the rows of a group: its comparisons with other libraries, and the plotted figures that it measured.</summary>
    public static List<SpeedRow> Of(FigureGroup group)
    {
        var rows = group.Peers.Select(static peer => new SpeedRow(peer.Work, peer.Peer, peer.Ours, peer.Theirs, peer.Ratio, peer.FloorRatio)).ToList();
        foreach (var (name, work, alternative) in s_figures.Concat(group.Plotted))
        {
            if (Find(".ratio") is { } ratio && (Find(".ns") ?? Find(".rate")) is { } ours && (Find(".floor.ns") ?? Find(".floor.rate")) is { } theirs)
                rows.Add(new SpeedRow(work, alternative, ours, theirs, ratio));

            Figure? Find(string end) => group.Figures.FirstOrDefault(figure => figure.Name == name + end);
        }

        return rows;
    }
}
