using System;

namespace Reloaded.Messaging;

/// <summary>A connection's keys, one for each direction. Zeroed when it is disposed.</summary>
internal sealed record SessionKeys(PacketSealer Sealer, PacketOpener Opener) : IDisposable
{
    public void Dispose()
    {
        Sealer.Dispose();
        Opener.Dispose();
    }
}
