using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Diagnostics;

/// <summary>Keeps the spans of the library that have ended.</summary>
internal sealed class SpanRecorder : IDisposable
{
    private readonly ActivityListener _listener;
    private readonly ConcurrentQueue<Activity> _ended = new();

    public SpanRecorder()
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == MessagingTracing.SourceName,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = _ended.Enqueue,
        };
        ActivitySource.AddActivityListener(_listener);
    }

    public Activity[] Ended => _ended.ToArray();

    /// <summary>Waits for the span of a name and a kind.</summary>
    public async Task<Activity> GetAsync(string name, ActivityKind kind)
    {
        await Signal.UntilAsync(() => Find() is not null);
        return Find()!;

        Activity? Find() => _ended.FirstOrDefault(span => span.DisplayName == name && span.Kind == kind);
    }

    public void Dispose() => _listener.Dispose();
}
