using System.IO;
using System.Net.Sockets;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.SharedMemory;

/// <summary>A client that takes the map that a server offers, and writes anything anywhere in it.</summary>
internal sealed class ScribblingPeer : IDisposable
{
    private readonly TransportChannel _lifeline;
    private readonly SharedMap _map;

    private ScribblingPeer(TransportChannel lifeline, SharedMap map) => (_lifeline, _map) = (lifeline, map);

    public static async Task<ScribblingPeer> ConnectAsync(MessageEndpoint endpoint)
    {
        var path = Path.Combine(UserFolder.Get(), endpoint.Address + ".shm");
        var lifeline = await SocketConnector.ConnectAsync(new TransportAddress(endpoint.Transport, endpoint.Address), new UnixDomainSocketEndPoint(path), default);
        var bytes = new byte[MapOffer.Size];
        for (var read = 0; read < bytes.Length;)
            read += await lifeline.ReceiveAsync(bytes.AsMemory(read), default).AsTask().InTime();
        var offer = MapOffer.TryRead(bytes) ?? throw new InvalidOperationException("The server made no offer.");
        return new ScribblingPeer(lifeline, MapFile.Open(offer.Name, RingLayout.SizeFor(offer.Capacity)));
    }

    /// <summary>Sets the tail of the client's ring, and wakes the server.</summary>
    public void SetTail(int value) => Write(RingLayout.ClientRing + RingLayout.Tail, value);

    /// <summary>Whether the server has hung up.</summary>
    public async Task WaitForEndAsync()
    {
        try
        {
            while (await _lifeline.ReceiveAsync(new byte[1], default).AsTask().InTime() > 0)
            {
            }
        }
        catch (TransportClosedException)
        {
            // That is an end as well.
        }
    }

    /// <summary>Writes for a while, and wakes the server again and again.</summary>
    public unsafe void Scribble(Random random, int writes)
    {
        int[] fields = [RingLayout.Tail, RingLayout.Head, RingLayout.End, RingLayout.ConsumerSleep, RingLayout.ProducerSleep];
        for (var i = 0; i < writes; i++)
        {
            var ring = random.Next(2) == 0 ? RingLayout.ServerRing : RingLayout.ClientRing;
            var offset = random.Next(8) switch
            {
                0 => random.Next((int)(_map.Size / sizeof(int))) * sizeof(int),
                < 3 => RingLayout.ClientRing + RingLayout.Tail, // more bytes for the server to read
                _ => ring + fields[random.Next(fields.Length)],
            };
            Write(offset, random.Next(3) switch { 0 => random.Next(), 1 => random.Next(int.MinValue, 0), _ => random.Next(20_000) });
        }
    }

    public void Dispose()
    {
        _lifeline.Abort();
        _map.Dispose();
    }

    private unsafe void Write(int offset, int value)
    {
        Volatile.Write(ref *(int*)(_map.Start + offset), value);
        var sleep = (int*)(_map.Start + RingLayout.ClientRing + RingLayout.ConsumerSleep);
        Volatile.Write(ref *sleep, SleepState.Awake);
        Futex.Wake(sleep);
    }
}
