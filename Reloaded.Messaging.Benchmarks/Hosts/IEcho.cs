using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>The service of the service figures.</summary>
[MessageService]
public interface IEcho
{
    ValueTask<EchoMessage> EchoAsync(long a, long b, long c);

    Task<EchoMessage> EchoTaskAsync(long a, long b, long c);
}
