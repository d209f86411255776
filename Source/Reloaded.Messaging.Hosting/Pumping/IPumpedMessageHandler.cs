using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Handles the messages of a <see cref="PumpQueue{TContext}"/>. Implemented only by structs, so that the calls are direct.</summary>
/// <typeparam name="TContext">The origin of a message.</typeparam>
internal interface IPumpedMessageHandler<TContext>
    where TContext : struct
{
    /// <returns><c>false</c> if the message cannot be read.</returns>
    bool Handle(ReadOnlySpan<byte> message, in TContext context);
}
