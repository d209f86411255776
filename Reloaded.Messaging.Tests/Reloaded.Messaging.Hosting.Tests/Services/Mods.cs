using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Services;

/// <summary>The object of the server.</summary>
internal sealed class Mods : IModLoader
{
    public event Action<ModLoaded>? Loaded;

    public event Action? Idle;

    public event Action<string, int>? Changed;

    public bool HasSubscribers => Loaded is not null || Idle is not null || Changed is not null;

    public List<string> Suspended { get; } = [];

    /// <summary>Completes when <c>SuspendAsync("slow")</c> was canceled.</summary>
    public TaskCompletionSource Canceled { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public TaskCompletionSource Entered { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public void Raise(string mod)
    {
        Loaded?.Invoke(new ModLoaded(mod));
        Changed?.Invoke(mod, 1);
        Idle?.Invoke();
    }

    public Task<ModCatalog> ListAsync(bool loadedOnly, CancellationToken cancellationToken) => Task.FromResult(new ModCatalog(loadedOnly ? ["a"] : ["a", "b"]));

    public async Task SuspendAsync(string mod, CancellationToken cancellationToken)
    {
        if (mod == "unknown")
            throw new RequestFaultException(1000, $"No mod {mod}.");
        if (mod == "slow")
        {
            Entered.SetResult();
            try
            {
                await Task.Delay(Timeout.Infinite, cancellationToken);
            }
            catch (OperationCanceledException)
            {
                Canceled.SetResult();
                throw;
            }
        }

        await Task.Yield();
        Suspended.Add(mod);
    }

    public ValueTask<int> CountAsync(int atLeast) => new(atLeast + 1);

    public async Task<string[]?> TagsAsync(string mod, Dictionary<string, int>? weights)
    {
        await Task.Yield();
        return weights?.Keys.Append(mod).ToArray();
    }

    public ValueTask TouchAsync() => default;

    public Task<long> WhoAsync(Peer? caller) => Task.FromResult(caller!.Id);

    public ValueTask<ModLoaded> FindAsync(string @class) => new(new ModLoaded(@class));
}
