using System.Reflection;

namespace Reloaded.Messaging.Hosting;

public abstract partial class MessageHost
{
    // On this target, the assemblies of the library call internal methods of each other. A loader with one context for all mods may mix files of several mods.
    static partial void CheckVersions()
    {
        Check(typeof(MessageWriter).Assembly);
        Check(typeof(MessageEndpoint).Assembly);

        static void Check(Assembly assembly)
        {
            var own = typeof(MessageHost).Assembly;
            if (VersionOf(assembly) != VersionOf(own))
                throw new InvalidOperationException($"'{assembly.Location}' is version {VersionOf(assembly)}, and '{own.Location}' is version {VersionOf(own)}. Use three files of one version in all mods.");
        }

        static string? VersionOf(Assembly assembly) => assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
    }
}
