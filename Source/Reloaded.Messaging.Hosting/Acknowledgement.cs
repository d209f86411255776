using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>The reply to a request without a result: a library type with an empty payload.</summary>
internal readonly struct Acknowledgement
{
    public static MessageContract<Acknowledgement> Contract { get; } = new MessageContract<Acknowledgement>(LibraryTypes.Acknowledgement, new EmptySerializer()).Declare();

    private sealed class EmptySerializer : IMessageSerializer<Acknowledgement>
    {
        public string Name => "empty";

        public void Serialize(in Acknowledgement value, MessageBuffer buffer)
        {
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out Acknowledgement value)
        {
            value = default;
            return true;
        }
    }
}
