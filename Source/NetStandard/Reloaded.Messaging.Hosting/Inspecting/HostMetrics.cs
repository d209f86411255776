namespace Reloaded.Messaging.Hosting;

/// <summary>The metrics of hosts on other targets. The netstandard2.1 build has no meter.</summary>
internal static class HostMetrics
{
    public static void Publish()
    {
        // There is no meter.
    }

    public static void Add(MessageHost host)
    {
        // No meter reads the host.
    }

    public static void Remove(MessageHost host)
    {
        // No meter reads the host.
    }
}
