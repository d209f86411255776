namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>How often bytes reached a deserializer. One thread's.</summary>
internal sealed class ReadCounter
{
    public long Reads { get; set; }
}
