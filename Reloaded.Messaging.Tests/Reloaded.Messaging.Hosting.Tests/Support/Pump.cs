using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Pumps a host on a thread of its own until it is disposed.</summary>
internal sealed class Pump : IDisposable
{
    private readonly Task _pumping;
    private volatile bool _isStopping;

    private Pump(MessageHost host) => _pumping = Deadline.RunAside(() =>
    {
        while (!_isStopping)
        {
            host.Pump();
            Thread.Sleep(1);
        }
    });

    /// <summary>Begins to pump a host. Returns <c>null</c> if it is not pumped.</summary>
    public static Pump? Of(MessageHost host) => host.Options.IsPumped ? new Pump(host) : null;

    public void Dispose()
    {
        _isStopping = true;
        _pumping.GetAwaiter().GetResult();
    }
}
