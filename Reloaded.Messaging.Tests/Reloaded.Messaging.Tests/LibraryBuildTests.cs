using System.Reflection;
using System.Runtime.Versioning;
using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class LibraryBuildTests
{
    [Fact]
    public void Each_target_of_the_tests_runs_against_its_build_of_the_library()
    {
        var expected = typeof(LibraryBuildTests).Assembly.GetCustomAttribute<TargetFrameworkAttribute>()!.FrameworkName switch
        {
            ".NETCoreApp,Version=v9.0" => ".NETStandard,Version=v2.1",
            var own => own,
        };

        Assert.Equal(expected, LibraryBuild.FrameworkName);
    }
}
