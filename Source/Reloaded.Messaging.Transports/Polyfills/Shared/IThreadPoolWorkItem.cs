namespace Reloaded.Messaging.Polyfills;

/// <summary>What the thread pool is to do. Here it is wrapped when it is queued, which makes an object.</summary>
internal interface IThreadPoolWorkItem
{
    void Execute();
}
