namespace Reloaded.Messaging.Hosting;

/// <summary>The empty reply to a request that has no other reply: the remote handler has completed.</summary>
public readonly struct Acknowledgement
{
    /// <summary>The contract: an id that is reserved for the library, and an empty payload. Hosts declare it.</summary>
    public static MessageContract<Acknowledgement> Contract { get; } = new(LibraryTypes.Acknowledgement, new EmptySerializer());

    /// <summary>Returns an acknowledgement when a task has completed.</summary>
    internal static async Task<Acknowledgement> AfterAsync(Task task)
    {
        await task.ConfigureAwait(false);
        return default;
    }

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
