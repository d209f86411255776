using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Services;

/// <summary>A service with a member of every kind.</summary>
[MessageService]
public interface IModLoader : IModFolder
{
    event Action<ModLoaded>? Loaded;

    [MessageId(78)]
    event Action? Idle;

    Task<ModCatalog> ListAsync(bool loadedOnly, CancellationToken cancellationToken = default);

    /// <summary>Completes when the method of the server has completed.</summary>
    Task SuspendAsync(string mod, CancellationToken cancellationToken = default);

    ValueTask<int> CountAsync(int atLeast = 1);

    Task<string[]?> TagsAsync(string mod, Dictionary<string, int>? weights);

    [MessageId(77)]
    ValueTask TouchAsync();

    /// <summary>Returns the id of the peer that called.</summary>
    Task<long> WhoAsync(Peer? caller = null);
}

/// <summary>Inherited by a service. It is not a service itself.</summary>
public interface IModFolder
{
    event Action<string, int>? Changed;

    ValueTask<ModLoaded> FindAsync(string @class);
}

[Message]
public sealed record ModCatalog(List<string> Mods);

[Message]
public sealed record ModLoaded(string Mod);
