using System.Threading;

namespace Reloaded.Messaging;

internal static class ThreadExtensions
{
    extension(Thread thread)
    {
        /// <summary>Starts the thread: here with the caller's execution context, since this target has no other way.</summary>
        public void UnsafeStart() => thread.Start();
    }
}
