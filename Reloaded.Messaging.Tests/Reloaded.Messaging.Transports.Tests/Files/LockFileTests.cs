using System.Globalization;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Files;

public sealed class LockFileTests : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory();

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task One_of_several_threads_publishes_a_file()
    {
        const int Rounds = 500;
        using var start = new Barrier(3);

        var winners = await Task.WhenAll(Enumerable.Range(0, start.ParticipantCount).Select(thread => Deadline.RunAside(() => Enumerable.Range(0, Rounds).Select(round =>
        {
            var unpublished = PathOf($"{round}.{thread}");
            File.WriteAllText(unpublished, thread.ToString(CultureInfo.InvariantCulture));
            start.SignalAndWait();
            return TryPublish(unpublished, PathOf($"{round}")) ? 1 : 0;
        }).ToArray()))).InTime();

        for (var round = 0; round < Rounds; round++)
        {
            var winner = Assert.Single(Enumerable.Range(0, winners.Length), thread => winners[thread][round] == 1);
            Assert.Equal($"{winner}", File.ReadAllText(PathOf($"{round}")));
            Assert.Equal(Enumerable.Range(0, winners.Length).Where(thread => thread != winner), Enumerable.Range(0, winners.Length).Where(thread => File.Exists(PathOf($"{round}.{thread}"))));
        }
    }

    private static bool TryPublish(string unpublished, string path)
    {
        try
        {
            LockFile.Publish(unpublished, path);
            return true;
        }
        catch (IOException) when (File.Exists(path))
        {
            return false;
        }
    }

    private string PathOf(string name) => Path.Combine(_folder.FullName, name);
}
