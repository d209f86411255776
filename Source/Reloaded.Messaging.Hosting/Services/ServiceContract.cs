using System.ComponentModel;
using System.Runtime.CompilerServices;

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
