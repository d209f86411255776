using System.Threading.Tasks.Sources;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>A completed source that counts how often its result is taken: a pooled one goes back to its pool then.</summary>
internal sealed class CountingValueTaskSource : IValueTaskSource
{
    public int ResultsTaken { get; private set; }

    public void GetResult(short token) => ResultsTaken++;

    public ValueTaskSourceStatus GetStatus(short token) => ValueTaskSourceStatus.Succeeded;

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) => continuation(state);
}
