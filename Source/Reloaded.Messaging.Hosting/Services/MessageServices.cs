using Reloaded.Messaging.CompilerServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>Adds services to hosts, and calls the services of peers. A service is an interface that is marked <see cref="MessageServiceAttribute"/>.</summary>
public static class MessageServices
{
    /// <summary>Handles the calls of a service's methods by an object, and broadcasts the events of the object to all peers.</summary>
    /// <typeparam name="TService">The interface of the service. Name it, because the type of the object is usually another one.</typeparam>
    /// <param name="host">A server, or a client whose server calls it.</param>
    /// <param name="service">The object. Its methods run like asynchronous handlers of requests: on the thread pool or inside <see cref="MessageHost.Pump"/>, and at the same time for several requests.</param>
    /// <returns>The registration. Dispose to remove the handlers of the methods and events. The host then has no reference to the object.</returns>
    /// <remarks>
    /// The exception of a method becomes a fault, as in <see cref="HandlerHost{TFrom}.OnRequest{TRequest, TReply}(AsyncRequestHandler{TRequest, TReply, TFrom})"/>.
    /// Raising an event of the object packs the event once, and returns when it is queued for each peer. A peer with a full outbox does not receive it, which
    /// <see cref="MessageHost.GetCount(SendStatus)"/> counts.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Thrown when the type is not a service, when the host has another object for it, or when the id of a message belongs to another type of this host.</exception>
    public static HandlerRegistration AddService<TService>(this MessageHost host, TService service)
        where TService : class
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(service);
        var binding = new ServiceBinding(host);
        try
        {
            ServiceContract<TService>.GetDeclared().Bind(service, binding);
            return new HandlerRegistration(binding.Remove);
        }
        catch
        {
            binding.Remove();
            throw;
        }
    }

    /// <summary>Returns an object that calls a service of the server, also after the client has reconnected.</summary>
    /// <typeparam name="TService">The interface of the service.</typeparam>
    /// <param name="client">The client. In the callback of <see cref="MessageHost.ConnectAsync"/>, add the handlers of events that must not miss one.</param>
    /// <inheritdoc cref="GetService{TService}(Peer)"/>
    public static TService GetService<TService>(this MessageClient client)
        where TService : class
    {
        ArgumentNullException.ThrowIfNull(client);
        return ServiceContract<TService>.GetDeclared().CreateClient(new ServiceCaller(client));
    }

    /// <summary>Returns an object that calls a service of a peer, for example of a client.</summary>
    /// <typeparam name="TService">The interface of the service.</typeparam>
    /// <param name="peer">The peer. When it disconnects, the handlers of its events are removed.</param>
    /// <returns>The object. It is thread-safe and needs no disposal. All objects for one service are equivalent.</returns>
    /// <remarks>
    /// A method sends a request. It ends like <see cref="Peer.RequestAsync{TRequest, TReply}(in TRequest, TimeSpan?, System.Threading.CancellationToken)"/>, with the same
    /// exceptions, within <see cref="MessageHostOptions.RequestTimeout"/>. The handlers of an event run like handlers of messages. While an event has no handler,
    /// the host does not handle its message.
    /// </remarks>
    /// <exception cref="InvalidOperationException">Thrown when the type is not a service.</exception>
    public static TService GetService<TService>(this Peer peer)
        where TService : class
    {
        ArgumentNullException.ThrowIfNull(peer);
        return ServiceContract<TService>.GetDeclared().CreateClient(new ServiceCaller(peer));
    }
}
