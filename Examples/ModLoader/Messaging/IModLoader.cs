using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;

namespace ModLoader.Messaging;

/// <summary>The service of the game, which the tool calls.</summary>
[MessageService]
public interface IModLoader
{
    Task<ModList> ListAsync();

    /// <summary>Loads, unloads, suspends or resumes a mod, and returns its state before. A repeated call has no further effect.</summary>
    Task<ModState> SetAsync(string mod, ModState state);
}
