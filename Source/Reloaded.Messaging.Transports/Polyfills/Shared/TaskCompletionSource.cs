using System.Threading.Tasks;

namespace Reloaded.Messaging.Polyfills;

/// <summary>Creates and completes a task without a result.</summary>
internal sealed class TaskCompletionSource(TaskCreationOptions options = TaskCreationOptions.None) : TaskCompletionSource<bool>(options)
{
    public void SetResult() => SetResult(true);

    public bool TrySetResult() => TrySetResult(true);
}
