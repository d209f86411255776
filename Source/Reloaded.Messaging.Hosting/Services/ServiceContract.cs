using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>Creates the client of a service, and binds an object to a host. For generated code.</summary>
/// <typeparam name="TService">The interface of the service.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class ServiceContract<TService>
    where TService : class
{
    // A static field of a type generic over the service is unloaded together with a collectible assembly of the service.
    private static ServiceContract<TService>? s_declared;

    /// <summary>Makes this contract the one that hosts use for the service. Further calls have no effect.</summary>
    public void Declare() => Interlocked.CompareExchange(ref s_declared, this, null);

    /// <summary>Creates an object that calls the service of a peer.</summary>
    /// <param name="caller">Sends the requests.</param>
    public abstract TService CreateClient(ServiceCaller caller);

    /// <summary>Registers the methods and events of an object.</summary>
    /// <param name="service">The object.</param>
    /// <param name="binding">Registers the handlers.</param>
    public abstract void Bind(TService service, ServiceBinding binding);

    /// <summary>Returns the declared contract.</summary>
    /// <exception cref="InvalidOperationException">Thrown when the type is not a service.</exception>
    internal static ServiceContract<TService> GetDeclared()
    {
        // The use of an interface alone does not run the initializer of its assembly.
        if (Volatile.Read(ref s_declared) is null)
            RuntimeHelpers.RunModuleConstructor(typeof(TService).Module.ModuleHandle);
        return Volatile.Read(ref s_declared) ?? throw new InvalidOperationException(
            $"{typeof(TService)} is not a service. Mark the interface [MessageService] in a project that has the generator of Reloaded.Messaging. On netstandard2.1, call the generated MessageContracts.Declare() once.");
    }
}

/// <summary>Registers the methods and events of one object at a host. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class ServiceBinding
{
    private readonly MessageHost _host;
    private List<Action>? _undo = [];

    internal ServiceBinding(MessageHost host) => _host = host;

    /// <summary>Registers a method with a result.</summary>
    /// <param name="handler">Calls the method.</param>
    public void OnRequest<TRequest, TReply>(AsyncRequestHandler<TRequest, TReply, Peer> handler) => _undo!.Add(_host.OnRequest(handler).Dispose);

    /// <summary>Registers a method without a result.</summary>
    /// <param name="handler">Calls the method.</param>
    public void OnRequest<TRequest>(Func<TRequest, Peer, CancellationToken, ValueTask> handler) => _undo!.Add(_host.OnRequest(handler).Dispose);

    /// <summary>Connects an event of the object with a broadcast to all peers, and announces the contract of its message.</summary>
    /// <param name="subscribe">Adds the handler that broadcasts.</param>
    /// <param name="unsubscribe">Removes the handler.</param>
    public void OnRaised<TEvent>(Action subscribe, Action unsubscribe)
    {
        ArgumentNullException.ThrowIfNull(subscribe);
        _host.AnnounceContract<TEvent>();
        subscribe();
        _undo!.Add(unsubscribe);
    }

    /// <summary>Sends an event to all peers. The host counts the peers that do not receive it.</summary>
    /// <param name="message">The message of the event.</param>
    public void Broadcast<TEvent>(in TEvent message) => _ = _host.Broadcast(in message);

    /// <summary>Removes all handlers. The host then has no reference to the object, and the object none to the host. More than one call has no further effect.</summary>
    internal void Remove()
    {
        foreach (var undo in Interlocked.Exchange(ref _undo, null) ?? [])
            undo();
    }
}
