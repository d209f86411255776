using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Growth;

/// <summary>The service of the growth figures.</summary>
[MessageService]
public interface IGrowing
{
    /// <summary>Raised by <see cref="RaiseAsync"/>.</summary>
    event Action<int>? Changed;

    /// <summary>Raises the event, once for each number.</summary>
    Task RaiseAsync(int count);
}
