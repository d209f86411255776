using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>What goes to the broker as one: a message, or several of one topic.</summary>
/// <param name="Body">The packed message as it is, or a batch of them; valid until it is published.</param>
/// <param name="Flight">The number of the publication since the channel was opened.</param>
/// <param name="Count">How many it is of.</param>
/// <param name="Head">Its first message.</param>
internal readonly record struct Publication(ReadOnlyMemory<byte> Body, ulong Flight, int Count, Outgoing Head);
