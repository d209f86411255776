using System.IO;
using Xunit;

namespace Reloaded.Messaging.Tests.Addresses;

public sealed class ServerFolderTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_file_that_another_server_is_just_making_is_left_alone_and_goes_if_nobody_holds_it_later(bool isOld)
    {
        var path = Path.Combine(ServerFolder.Get(), $"test-{Environment.ProcessId}-{isOld}.new");
        File.WriteAllText(path, ""); // as it is between the moments in which it is made and locked
        if (isOld)
            File.SetLastWriteTimeUtc(path, File.GetLastWriteTimeUtc(path) - TimeSpan.FromHours(1));

        ServerFolder.RemoveDead();

        Assert.Equal(!isOld, File.Exists(path));
        File.Delete(path);
    }

    /// <summary>The file of a socket and its lock go with the entry of their server. Nothing holds the file of a socket, also while its server lives.</summary>
    [Theory]
    [InlineData(".sock")]
    [InlineData(".lock")]
    public void A_file_of_a_socket_is_not_removed_alone(string ending)
    {
        var path = Path.Combine(ServerFolder.Get(), $"test-{Environment.ProcessId}{ending}");
        File.WriteAllText(path, "");

        ServerFolder.RemoveDead();

        Assert.True(File.Exists(path));
        File.Delete(path);
    }
}
