using System.Diagnostics;
using System.Diagnostics.Metrics;

namespace Reloaded.Messaging.Hosting;

/// <summary>The instruments of all hosts of the process.</summary>
internal static class OperationInstruments
{
    /// <summary>Whether <see cref="Published"/> exists.</summary>
    public static bool ArePublished => InstrumentSet.Published is not null;

    /// <summary>Whether a duration has a listener.</summary>
    public static bool HaveDurations => Published.Requests.Enabled || Published.Replies.Enabled || Published.Events.Enabled;

    /// <inheritdoc cref="InstrumentSet.Publish"/>
    public static void Publish() => InstrumentSet.Publish();

    /// <summary>Records a duration. Sends have no duration, because a send never waits.</summary>
    public static void Record(OperationKind kind, TimeSpan duration, string system, string type, string endpoint, string status, string? error)
    {
        var instrument = kind switch
        {
            OperationKind.Request => Published.Requests,
            OperationKind.Reply => Published.Replies,
            OperationKind.Process => Published.Events,
            _ => null,
        };
        if (instrument is not { Enabled: true })
            return;

        var tags = default(TagList);
        if (kind == OperationKind.Process)
        {
            tags.Add("messaging.system", system);
            tags.Add("messaging.operation.name", "process");
            tags.Add("messaging.destination.name", type);
        }
        else
        {
            tags.Add("rpc.system.name", system);
            tags.Add("rpc.method", type);
            tags.Add("rpc.response.status_code", status);
        }

        tags.Add("endpoint", endpoint);
        if (error is not null)
            tags.Add("error.type", error);
        instrument.Record(duration.TotalSeconds, in tags);
    }

    /// <summary>The instruments, as constants of the compiled code.</summary>
    public static class Published
    {
        public static readonly ActivitySource Source = InstrumentSet.Published!.Source;
        public static readonly Histogram<double> Requests = InstrumentSet.Published!.Requests;
        public static readonly Histogram<double> Replies = InstrumentSet.Published!.Replies;
        public static readonly Histogram<double> Events = InstrumentSet.Published!.Events;

        // An explicit constructor, so that the fields are not read before they are used: only once the instruments are published.
        static Published()
        {
        }
    }
}
