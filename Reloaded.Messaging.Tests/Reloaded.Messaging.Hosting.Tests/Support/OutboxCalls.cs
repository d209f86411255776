using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests;

/// <summary>Appends messages to an outbox.</summary>
internal static class OutboxCalls
{
    public static SendStatus Append(this Outbox outbox, ReadOnlySpan<byte> message, int maxPending = 0)
    {
        var frame = new OutgoingFrame(message) { MaxPending = maxPending };
        return outbox.Append(ref frame);
    }

    public static SendStatus Append(this Outbox outbox, ReadOnlySpan<byte> message, ref FlushChain chain)
    {
        var frame = new OutgoingFrame(message);
        return outbox.Append(ref frame, ref chain);
    }
}
