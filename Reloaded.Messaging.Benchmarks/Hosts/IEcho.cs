using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>The service of the service figures.</summary>
[MessageService]
public interface IEcho
{
    Task<EchoMessage> EchoAsync(long a, long b, long c);
}
