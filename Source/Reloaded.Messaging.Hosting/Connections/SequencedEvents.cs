using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging.Hosting;

/// <summary>Announces that this side reads sequenced events. Such a message is never sent: only its contract is announced, in the handshake over a channel that may lose messages.</summary>
internal sealed class SequencedEvents
{
    /// <summary>The announced contract.</summary>
    public static readonly MessageContract<SequencedEvents> Contract = new(LibraryTypes.SequencedEvents, new Serializer());

    private sealed class Serializer : IMessageSerializer<SequencedEvents>
    {
        public string Name => "sequenced-events";

        public void Serialize(in SequencedEvents value, MessageBuffer buffer)
        {
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out SequencedEvents value)
        {
            value = null;
            return false;
        }
    }
}
