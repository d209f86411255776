using System.Threading.Tasks;

namespace Reloaded.Messaging.Polyfills;

/// <summary>A task without a result that somebody completes.</summary>
internal sealed class TaskCompletionSource(TaskCreationOptions options) : TaskCompletionSource<bool>(options)
{
    public void SetResult() => SetResult(true);

    public bool TrySetResult() => TrySetResult(true);
}
