using Microsoft.Extensions.DependencyInjection;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Gives services that are created before the program has started, such as a <c>BackgroundService</c>, access to a host.</summary>
/// <typeparam name="THost"><see cref="MessageServer"/> or <see cref="MessageClient"/>, or the host of another package.</typeparam>
/// <remarks>Thread-safe. Services that are created later can inject the host itself.</remarks>
public sealed class MessageHostAccessor<THost>
    where THost : class
{
    private readonly TaskCompletionSource<THost> _created = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private THost? _current;

    internal MessageHostAccessor(string name) => Name = name;

    /// <summary>The name of the host.</summary>
    public string Name { get; }

    /// <summary>The host; <see langword="null"/> until the server listens, or until the client has connected for the first time. A host that connects in the background exists when the program has started.</summary>
    public THost? Current => Volatile.Read(ref _current);

    /// <summary>Why there is no host and there will be none; otherwise, <see langword="null"/>.</summary>
    internal Exception? Failure => _created.Task.Exception?.InnerException;

    /// <summary>Waits until <see cref="Current"/> is the host.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The host. A client may have lost its connection meanwhile: see <see cref="MessageClient.WaitForConnectionAsync"/>.</returns>
    /// <exception cref="OperationCanceledException">Thrown when the token is canceled.</exception>
    /// <remarks>If the server cannot listen, or the client gives up, the call throws the reason.</remarks>
    public Task<THost> WaitAsync(CancellationToken cancellationToken = default) => _created.Task.WaitAsync(cancellationToken);

    internal void Set(THost host)
    {
        Volatile.Write(ref _current, host);
        _created.SetResult(host);
    }

    internal void Fail(Exception exception)
    {
        _created.SetException(exception);
        _ = _created.Task.Exception; // the runner logs or throws it, so it is observed
    }

    internal THost GetRequired() => Current ?? throw new InvalidOperationException(
        $"The {typeof(THost).Name} '{Name}' {(Failure is { } failure ? $"could not be started: {failure.Message}" : "is not available yet")}. Inject MessageHostAccessor<{typeof(THost).Name}>, and await its WaitAsync.", Failure);
}

/// <summary>Finds the only host of its kind, for services that inject it without a name.</summary>
internal static class SingleHost<THost>
    where THost : class
{
    /// <summary>A host that was added to the services.</summary>
    public sealed record Entry(MessageHostAccessor<THost> Accessor);

    /// <exception cref="InvalidOperationException">Thrown when there is more than one.</exception>
    public static MessageHostAccessor<THost> Find(IServiceProvider provider)
    {
        var found = new List<Entry>(provider.GetServices<Entry>());
        return found.Count == 1 ? found[0].Accessor : throw new InvalidOperationException(
            $"The program has {found.Count} services of {typeof(THost).Name}: {string.Join(", ", found.ConvertAll(static entry => entry.Accessor.Name))}. Inject one by its name: [FromKeyedServices(\"{found[0].Accessor.Name}\")].");
    }
}
