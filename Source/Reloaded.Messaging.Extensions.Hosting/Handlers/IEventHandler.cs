using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Handles events of a type. Each message has an instance from the services, in a scope of its own.</summary>
/// <typeparam name="TEvent">The type of the events.</typeparam>
public interface IEventHandler<TEvent>
{
    /// <summary>Handles an event. Handlers of one peer start in the order of its messages and may complete in any order.</summary>
    /// <param name="message">The event.</param>
    /// <param name="peer">The sender.</param>
    ValueTask HandleAsync(TEvent message, Peer peer);
}
