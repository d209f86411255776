using System.IO;
using Xunit;

namespace Reloaded.Messaging.Tests.Files;

public sealed class UserFolderTests
{
    [Theory]
    [InlineData("")]
    [InlineData(null)]
    [InlineData("run/user")]
    [InlineData("./run")]
    public void Relative_runtime_folder_is_ignored(string? runtime) =>
        Assert.StartsWith(Path.GetTempPath(), UserFolder.Choose(runtime), System.StringComparison.Ordinal);

    [Fact]
    public void Absolute_runtime_folder_is_used()
    {
        var runtime = Path.GetFullPath("run");

        Assert.Equal(Path.Combine(runtime, "reloaded-messaging"), UserFolder.Choose(runtime));
    }
}
