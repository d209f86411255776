using System;
using System.Collections.Generic;
using Microsoft.Extensions.DependencyInjection;

namespace Reloaded.Messaging.Extensions.Hosting;

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
