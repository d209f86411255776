namespace Reloaded.Messaging.Polyfills;

/// <summary>A work item of the thread pool. On this target, queuing it allocates a wrapper.</summary>
internal interface IThreadPoolWorkItem
{
    void Execute();
}
