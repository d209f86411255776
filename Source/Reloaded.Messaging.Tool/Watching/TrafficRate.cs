namespace Reloaded.Messaging.Tool;

/// <summary>Messages and bytes in two directions: counts, or rates per second.</summary>
internal readonly record struct TrafficRate(double Received, double ReceivedBytes, double Sent, double SentBytes)
{
    public TrafficRate Add(TrafficRate other) => new(Received + other.Received, ReceivedBytes + other.ReceivedBytes, Sent + other.Sent, SentBytes + other.SentBytes);
}
