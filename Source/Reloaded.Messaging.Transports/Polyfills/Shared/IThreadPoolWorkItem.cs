namespace Reloaded.Messaging.Polyfills;

/// <summary>A work item of the <see cref="WorkQueue"/>, which replaces the thread pool for such items on this target.</summary>
internal interface IThreadPoolWorkItem
{
    void Execute();
}
