using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Unloading;

/// <summary>Two mods with two versions of the library, in a loader with one context for all mods.</summary>
public sealed class OneContextTests
{
    private const string Core = "Reloaded.Messaging";
    private const string Transports = "Reloaded.Messaging.Transports";
    private const string Hosting = "Reloaded.Messaging.Hosting";

    /// <summary>The rules of each loader, and both orders of the versions.</summary>
    public static TheoryData<string, string, string> Loaders => new()
    {
        { "BepInEx", "3.0.0", "3.9.0" },
        { "BepInEx", "3.9.0", "3.0.0" },
        { "MelonLoader", "3.0.0", "3.9.0" },
        { "MelonLoader", "3.9.0", "3.0.0" },
        { "SMAPI", "3.0.0", "3.9.0" },
        { "SMAPI", "3.9.0", "3.0.0" },
    };

    [Theory]
    [MemberData(nameof(Loaders))]
    public async Task Mods_that_ship_all_files_use_one_copy(string rules, string first, string second)
    {
        using var loader = new LoaderContext(rules);
        loader.Add("First", first, Core, Transports, Hosting);
        loader.Add("Second", second, Core, Transports, Hosting);

        var (server, endpoint) = await loader.ListenAsync().InTime();
        await using var running = server;
        await loader.ConnectAsync(endpoint).InTime();

        Assert.Equal(rules == "MelonLoader" ? second : first, loader.Version); // there, the files of the second mod replaced those of the first one
    }

    [Theory]
    [MemberData(nameof(Loaders))]
    public async Task First_use_of_mixed_files_names_both(string rules, string first, string second)
    {
        foreach (var (other, rest) in new[] { (Core, new[] { Transports, Hosting }), (Transports, new[] { Core, Hosting }) })
        {
            using var loader = new LoaderContext(rules);
            loader.Add("First", first, other);
            loader.Add("Second", second, rules == "MelonLoader" ? rest : [Core, Transports, Hosting]);

            var failure = await Assert.ThrowsAsync<TypeInitializationException>(loader.ListenAsync);

            var error = Assert.IsType<InvalidOperationException>(failure.InnerException);
            Assert.Matches($"^'[^']+{other}\\.dll' is version {first}, and '[^']+{Hosting}\\.dll' is version {second}\\. Use three files of one version in all mods\\.$", error.Message);
        }
    }
}
