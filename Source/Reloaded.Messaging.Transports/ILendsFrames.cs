using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging;

/// <summary>Implemented by a <see cref="TransportChannel"/> that receives whole frames in its own memory, and lends this memory to the receiver.</summary>
/// <remarks>The library then calls <see cref="ReceiveFramesAsync"/> instead of <see cref="TransportChannel.ReceiveAsync"/>, unless it encrypts the bytes of the channel: see <see cref="TransportContext.Protection"/>.</remarks>
public interface ILendsFrames
{
    /// <summary>Receives whole frames. Waits until at least one frame was received.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The frames, or empty memory at the end. The caller may read and zero the memory until it calls <see cref="ReturnFrames"/>, which it does before the next receive.</returns>
    /// <exception cref="TransportClosedException">Thrown when the other side aborted the connection, or when this side aborted the channel.</exception>
    ValueTask<Memory<byte>> ReceiveFramesAsync(CancellationToken cancellationToken);

    /// <summary>Returns the memory that <see cref="ReceiveFramesAsync"/> lent, if any. Also called after an abort. Only the receiver calls this method.</summary>
    void ReturnFrames();
}
