using System;

namespace Reloaded.Messaging;

/// <summary>The keys of a connection, one for each direction. Disposing zeroes them.</summary>
internal sealed record SessionKeys(PacketSealer Sealer, PacketOpener Opener) : IDisposable
{
    public void Dispose()
    {
        Sealer.Dispose();
        Opener.Dispose();
    }
}
