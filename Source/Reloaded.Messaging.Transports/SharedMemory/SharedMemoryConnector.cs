using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Connects to a <see cref="SharedMemoryListener"/>.</summary>
internal static class SharedMemoryConnector
{
    /// <summary>Takes the map that the server offers.</summary>
    /// <param name="lifeline">The channel that was connected; the new channel's, or disposed if this throws.</param>
    /// <param name="address">The server, for messages.</param>
    /// <param name="options">How long to spin.</param>
    /// <param name="cancellationToken">Ends the attempt.</param>
    /// <exception cref="TransportClosedException">Thrown when the server is not of this version, or its map can't be opened.</exception>
    public static async ValueTask<TransportChannel> ConnectAsync(TransportChannel lifeline, TransportAddress address, SharedMemoryOptions options, CancellationToken cancellationToken)
    {
        try
        {
            var bytes = new byte[MapOffer.Size];
            for (var read = 0; read < bytes.Length;)
            {
                var more = await lifeline.ReceiveAsync(bytes.AsMemory(read), cancellationToken).ConfigureAwait(false);
                if (more == 0)
                    throw new TransportClosedException($"{address} ended the connection before it offered its memory. The server is being stopped, or its system has no room in {MapFolder.Description} or no free file descriptor; MessageHost.GetStatistics counts it in FailedAccepts.");
                read += more;
            }

            return Map(lifeline, MapOffer.TryRead(bytes) ?? throw new TransportClosedException(
                $"{address} offered memory in a way that this process does not know: another version of this library, or another kind of process. Use MessageEndpoint.Local on both sides."), address, options);
        }
        catch
        {
            lifeline.Abort();
            await lifeline.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static SharedMemoryChannel Map(TransportChannel lifeline, MapOffer offer, TransportAddress address, SharedMemoryOptions options)
    {
        SharedMap map;
        try
        {
            map = MapFile.Open(offer.Name, RingLayout.SizeFor(offer.Capacity));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new TransportClosedException($"The memory that {address} offers can't be mapped: {e.Message} Do both processes see the same {MapFolder.Description}?", e);
        }

        MapFile.RemoveName(offer.Name); // whichever side dies now, no file stays
        if (!offer.IsHeaderOf(map))
        {
            map.Dispose();
            throw new TransportClosedException($"The memory that {address} offers is not the memory that it named. Another program changed its file.");
        }

        var sender = new LifelineSender(lifeline);
        var channel = new SharedMemoryChannel(map, offer.Capacity, isServer: false, lifeline, RingSignals.Create(offer.Mode, isServer: false, offer.Name, sender), options.SpinTime, address.ToString());
        sender.Send(LifelineCode.Mapped);
        channel.Watch(null);
        return channel;
    }
}
