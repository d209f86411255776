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
        Assert.StartsWith(Path.GetTempPath(), UserFolder.Choose(runtime), StringComparison.Ordinal);

    [Fact]
    public void Absolute_runtime_folder_is_used()
    {
        var runtime = Path.GetFullPath("run");

        Assert.Equal(Path.Combine(runtime, "reloaded-messaging"), UserFolder.Choose(runtime));
    }

    [Fact]
    public void Folder_that_cannot_be_created_is_named_with_the_way_out()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows: the folder is in the profile of the user.");
        var file = Path.GetTempFileName();

        var refused = Assert.Throws<InvalidOperationException>(() => UserFolder.Make(Path.Combine(file, "reloaded-messaging")));

        Assert.StartsWith($"{file}/reloaded-messaging cannot be created. ", refused.Message, StringComparison.Ordinal);
        Assert.Contains("XDG_RUNTIME_DIR", refused.Message, StringComparison.Ordinal);
        File.Delete(file);
    }

    [Fact]
    public void User_without_a_name_has_a_folder_of_its_number()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows: every user has a name.");

        Assert.Equal($"/tmp/reloaded-messaging-{FileOwner.GetEffectiveUser()}", UserFolder.In("/tmp", ""));
        Assert.Equal("/tmp/reloaded-messaging-ada", UserFolder.In("/tmp", "ada"));
    }
}
