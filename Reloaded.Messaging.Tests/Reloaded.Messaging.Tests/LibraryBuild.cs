using System.Reflection;
using System.Runtime.Versioning;

namespace Reloaded.Messaging.Tests;

/// <summary>The build of the library that these tests run against.</summary>
internal static class LibraryBuild
{
    public static string FrameworkName => typeof(MessageWriter).Assembly.GetCustomAttribute<TargetFrameworkAttribute>()!.FrameworkName;

    public static bool IsNetStandard => FrameworkName == ".NETStandard,Version=v2.1";
}
