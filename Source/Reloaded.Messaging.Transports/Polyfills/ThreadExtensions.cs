using System.Threading;

namespace Reloaded.Messaging;

internal static class ThreadExtensions
{
    extension(Thread thread)
    {
        /// <summary>Starts the thread. On this target, the thread receives the execution context of the caller, because there is no alternative.</summary>
        public void UnsafeStart() => thread.Start();
    }
}
