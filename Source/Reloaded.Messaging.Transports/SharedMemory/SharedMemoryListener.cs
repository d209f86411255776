using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Accepts connections over a socket or pipe, and gives each a map.</summary>
internal sealed class SharedMemoryListener(TransportListener lifelines, TransportAddress address, SharedMemoryOptions options, WakeMode mode) : TransportListener
{
    public override TransportAddress Address => address;

    public override async ValueTask<TransportChannel?> AcceptAsync(CancellationToken cancellationToken)
    {
        while (await lifelines.AcceptAsync(cancellationToken).ConfigureAwait(false) is { } lifeline)
        {
            try
            {
                return await OfferAsync(lifeline, cancellationToken).ConfigureAwait(false);
            }
            catch (TransportClosedException)
            {
                await lifeline.DisposeAsync().ConfigureAwait(false); // it hung up while it waited: the next one
            }
            catch
            {
                lifeline.Abort();
                await lifeline.DisposeAsync().ConfigureAwait(false);
                throw;
            }
        }

        return null;
    }

    public override ValueTask DisposeAsync() => lifelines.DisposeAsync();

    private async ValueTask<TransportChannel> OfferAsync(TransportChannel lifeline, CancellationToken cancellationToken)
    {
        var offer = MapOffer.Create(mode, options.RingSize);
        var file = MapFile.Create(offer.Name, RingLayout.SizeFor(offer.Capacity));
        try
        {
            offer.WriteHeader(file.Map);
            var signals = RingSignals.Create(mode, isServer: true, offer.Name, new LifelineSender(lifeline)); // before the client may look for them
            file.Map.FreedWithMap = signals;
            await lifeline.SendAsync(offer.ToBytes(), Delivery.Reliable, cancellationToken).ConfigureAwait(false);
            var channel = new SharedMemoryChannel(file.Map, offer.Capacity, isServer: true, lifeline, signals, options.SpinTime, address.ToString());
            channel.Watch(file);
            return channel;
        }
        catch
        {
            file.Map.Dispose();
            file.Dispose();
            throw;
        }
    }
}
