using System;

namespace Reloaded.Messaging;

/// <summary>Says which queued messages a pump takes. The others stay, in their order.</summary>
/// <typeparam name="TSender">What producers enqueue beside each message.</typeparam>
/// <remarks>Make it a struct: what it decides by lies in its fields and is passed by reference, so that no call needs a closure.</remarks>
public interface IMessageFilter<in TSender>
{
    /// <summary>Called once for each message that a pump comes to, oldest first, on the pumping thread.</summary>
    /// <param name="message">Header and payload, valid during the call; <see cref="Wire.MessageHeader.TryRead"/> tells its type.</param>
    /// <param name="sender">Who sent it.</param>
    /// <returns>Whether to dispatch it now.</returns>
    bool Takes(ReadOnlySpan<byte> message, TSender sender);
}
