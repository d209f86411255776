using System.Reflection;
using System.Runtime.Versioning;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests;

public sealed class HostingBuildTests
{
    [Theory]
    [InlineData(typeof(MessageHost))]
    [InlineData(typeof(MessageWriter))]
    public void These_tests_run_against_the_builds_for_netstandard21(Type type) =>
        Assert.Equal(".NETStandard,Version=v2.1", type.Assembly.GetCustomAttribute<TargetFrameworkAttribute>()!.FrameworkName);
}
