using System.IO;
using System.Runtime.Versioning;
using Reloaded.Messaging.Polyfills;
using Xunit;
using Mode = Reloaded.Messaging.Polyfills.UnixFileMode;

namespace Reloaded.Messaging.Tests.Polyfills;

/// <summary>The system's own calls against what .NET 10 says of the same files.</summary>
[SupportedOSPlatform("linux")]
public sealed class LibCTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("rm-").FullName;

    private string FilePath => Path.Combine(_folder, "f");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_file_is_made_with_its_mode_and_one_that_is_there_stays_as_it_is()
    {
        LibC.Create(FilePath, Mode.UserRead | Mode.UserWrite, noneMayBe: true);
        Assert.Equal(System.IO.UnixFileMode.UserRead | System.IO.UnixFileMode.UserWrite, File.GetUnixFileMode(FilePath));
        File.WriteAllText(FilePath, "kept");

        LibC.Create(FilePath, Mode.UserRead, noneMayBe: false);

        Assert.Throws<IOException>(() => LibC.Create(FilePath, Mode.UserRead, noneMayBe: true));
        Assert.Equal(Mode.UserRead | Mode.UserWrite, LibC.GetMode(FilePath));
        Assert.Equal("kept", File.ReadAllText(FilePath));
    }

    [Fact]
    public void Every_bit_of_a_mode_is_set_and_read()
    {
        File.WriteAllText(FilePath, "");
        for (var bit = 0; bit < 12; bit++)
        {
            var mode = (Mode)(1 << bit) | Mode.UserRead;

            LibC.SetMode(FilePath, mode);

            Assert.Equal(mode, LibC.GetMode(FilePath));
            Assert.Equal(mode.ToString(), File.GetUnixFileMode(FilePath).ToString());
        }
    }

    [Fact]
    public void A_folder_is_made_once_and_keeps_its_mode()
    {
        var path = Path.Combine(_folder, "d");

        Assert.True(LibC.MakeFolder(path, Mode.UserRead | Mode.UserWrite | Mode.UserExecute));
        Assert.False(LibC.MakeFolder(path, Mode.UserRead));

        Assert.Equal(Mode.UserRead | Mode.UserWrite | Mode.UserExecute, LibC.GetMode(path));
    }

    [Fact]
    public void A_link_is_told_from_a_folder_and_a_file()
    {
        File.WriteAllText(FilePath, "");
        var link = Path.Combine(_folder, "l");
        File.CreateSymbolicLink(link, FilePath);

        Assert.Equal(FilePath, LibC.GetLinkTarget(link));
        Assert.Null(LibC.GetLinkTarget(FilePath));
        Assert.Null(LibC.GetLinkTarget(_folder));
    }

    [Fact]
    public void What_is_not_there_and_what_may_not_be_are_said_by_the_usual_exceptions()
    {
        Assert.Throws<DirectoryNotFoundException>(() => LibC.Create(Path.Combine(_folder, "no", "f"), Mode.UserRead, noneMayBe: true));
        Assert.Throws<DirectoryNotFoundException>(() => LibC.GetMode(FilePath));
        Assert.Throws<IOException>(() => LibC.Create(_folder, Mode.UserRead, noneMayBe: true));
    }

    [Fact]
    public void A_runtime_that_locks_nothing_is_told_from_one_that_does()
    {
        using (File.Create(FilePath))
            Assert.True(LibC.IsLocked(FilePath));

        Assert.False(LibC.IsLocked(FilePath)); // nobody holds it: so a file looks whose runtime does not lock
    }

    [Fact]
    public void A_file_is_held_alone_as_long_as_it_is_open()
    {
        using (LockFile.Open(FilePath, FileMode.OpenOrCreate, FileShare.None))
        {
            Assert.Throws<IOException>(() => LockFile.Open(FilePath, FileMode.OpenOrCreate, FileShare.None));
            Assert.Throws<IOException>(() => LockFile.OpenAlone(FilePath, FileOptions.None));
        }

        using var held = LockFile.OpenAlone(FilePath, FileOptions.None);
        Assert.True(held.CanWrite);
    }
}
