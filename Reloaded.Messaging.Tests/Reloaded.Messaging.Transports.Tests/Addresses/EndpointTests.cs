using System.Diagnostics;
using System.IO;
using System.Runtime.Versioning;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Addresses;

[UnsupportedOSPlatform("windows")] // files have no such modes there
public sealed class EndpointTests : IDisposable
{
    private const UnixFileMode Mine = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    private readonly string _folder = Directory.CreateTempSubdirectory("rm-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData("../other")]
    [InlineData("a/b")]
    [InlineData("a\\b")]
    [InlineData("a b")]
    [InlineData("ä")]
    [InlineData("a\0")]
    [InlineData("")]
    [InlineData(" ")]
    public void Local_name_that_could_be_a_path_is_refused(string name) => Assert.ThrowsAny<ArgumentException>(() => MessageEndpoint.Local(name));

    [Fact]
    public void Port_out_of_range_is_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => MessageEndpoint.Tcp(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => MessageEndpoint.Tcp(65536));
    }

    [Fact]
    public void Endpoints_have_their_scheme_address_and_port()
    {
        Assert.Equal("tcp://127.0.0.1:80", MessageEndpoint.Tcp(80).ToString());
        Assert.Equal("tcp://[::1]:80", MessageEndpoint.Tcp("::1", 80).ToString());
        Assert.Equal($"unix://{Path.GetFullPath("/a/b")}", MessageEndpoint.Unix("/a/b").ToString());
        Assert.Equal("in-process://a", MessageEndpoint.InProcess("a").ToString());
        Assert.Equal(MessageEndpoint.Unix("/a/b"), MessageEndpoint.Unix("/a/../a/b"));
    }

    [Fact]
    public void Folder_of_the_user_is_accessible_by_this_user_only()
    {
        TestSystem.RequireFileModes();
        var folder = UserFolder.Make(Path.Combine(_folder, "mine"));

        Assert.Equal(Mine, File.GetUnixFileMode(folder));
        Assert.Equal(folder, UserFolder.Make(folder));
    }

    [Fact]
    public void Folder_that_other_users_may_enter_is_refused()
    {
        TestSystem.RequireFileModes();
        var open = Directory.CreateDirectory(Path.Combine(_folder, "open"), Mine | UnixFileMode.GroupExecute).FullName;

        var refusal = Assert.Throws<InvalidOperationException>(() => UserFolder.Make(open));

        Assert.Contains(open, refusal.Message, StringComparison.Ordinal);
        Assert.Contains("0700", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Link_to_a_folder_is_refused()
    {
        TestSystem.RequireFileModes();
        var target = Directory.CreateDirectory(Path.Combine(_folder, "target"), Mine).FullName;
        var link = Directory.CreateSymbolicLink(Path.Combine(_folder, "link"), target).FullName;

        Assert.Throws<InvalidOperationException>(() => UserFolder.Make(link));
    }

    [Fact]
    public void Folder_of_another_user_is_refused()
    {
        TestSystem.RequireFileModes();
        Assert.SkipUnless(Environment.IsPrivilegedProcess, "Only root can give a folder away.");
        var anothers = Directory.CreateDirectory(Path.Combine(_folder, "anothers"), Mine).FullName;
        using (var chown = Process.Start("chown", ["65534", anothers]))
            chown.WaitForExit();

        var refusal = Assert.Throws<InvalidOperationException>(() => UserFolder.Make(anothers));

        Assert.Contains("another user", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Local_endpoint_is_a_socket_in_the_folder_of_the_user()
    {
        TestSystem.RequireFileModes();
        var endpoint = MessageEndpoint.Local("my-mod_1.0");

        Assert.Equal("unix", endpoint.Transport.Scheme);
        Assert.Equal(Path.Combine(UserFolder.Get(), "my-mod_1.0.sock"), endpoint.Address);
        Assert.Equal(Mine, File.GetUnixFileMode(UserFolder.Get()));
    }
}
