using System.Threading;

namespace Reloaded.Messaging.Polyfills;

internal static class ThreadExtensions
{
    extension(Thread thread)
    {
        /// <summary>Starts the thread without the AsyncLocal values of the caller.</summary>
        public void UnsafeStart()
        {
            if (ExecutionContext.IsFlowSuppressed())
            {
                thread.Start();
                return;
            }

            using (ExecutionContext.SuppressFlow())
                thread.Start();
        }
    }
}
