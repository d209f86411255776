using System;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>The content of one broker message: one message, or several messages of one topic.</summary>
/// <param name="Body">The packed message, or a batch of packed messages. Valid until it is published.</param>
/// <param name="Flight">The number of the publication since the channel was opened.</param>
/// <param name="Count">The number of messages.</param>
/// <param name="Head">The first message.</param>
internal readonly record struct Publication(ReadOnlyMemory<byte> Body, ulong Flight, int Count, Outgoing Head);
