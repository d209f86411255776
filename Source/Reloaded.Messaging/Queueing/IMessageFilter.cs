using System;

namespace Reloaded.Messaging;

/// <summary>Selects the queued messages that a pump dispatches. The other messages stay queued in order.</summary>
/// <typeparam name="TSender">The type of the sender that producers enqueue with each message.</typeparam>
/// <remarks>Implement it as a struct with the criteria as fields. It is passed by reference, so that no call needs a closure.</remarks>
public interface IMessageFilter<in TSender>
{
    /// <summary>Decides about one message. Called once for each message that a pump reaches, oldest first, on the pumping thread.</summary>
    /// <param name="message">Header and payload, valid during the call. <see cref="Wire.MessageHeader.TryRead"/> reads its type.</param>
    /// <param name="sender">The sender of the message.</param>
    /// <returns><c>true</c> to dispatch the message now; <c>false</c> to leave it queued.</returns>
    bool Takes(ReadOnlySpan<byte> message, TSender sender);
}
