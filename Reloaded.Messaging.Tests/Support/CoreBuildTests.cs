using System.Reflection;
using System.Runtime.Versioning;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

public sealed class CoreBuildTests
{
    [Fact]
    public void Each_test_project_runs_against_the_build_of_the_core_that_it_is_named_for()
    {
        var expected = typeof(CoreBuildTests).Assembly.GetName().Name switch
        {
            "Reloaded.Messaging.Tests" => ".NETCoreApp,Version=v10.0",
            "Reloaded.Messaging.Tests.OnNet8" => ".NETCoreApp,Version=v8.0",
            "Reloaded.Messaging.Tests.OnNetStandard21" => ".NETStandard,Version=v2.1",
            var other => other,
        };

        Assert.Equal(expected, typeof(MessageWriter).Assembly.GetCustomAttribute<TargetFrameworkAttribute>()!.FrameworkName);
    }
}
