using System.IO;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Files;

public sealed class FileLinkTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_link_in_place_of_the_unfinished_file_is_not_followed(bool leadsToAFile)
    {
        TestSystem.RequireUnixSockets(); // Wine creates no links
        var folder = Directory.CreateTempSubdirectory("rm-links-");
        try
        {
            var (source, saved, target) = (Path.Combine(folder.FullName, "source"), Path.Combine(folder.FullName, "saved"), Path.Combine(folder.FullName, "target"));
            File.WriteAllText(source, "new");
            if (leadsToAFile)
                File.WriteAllText(target, "untouched");
            File.CreateSymbolicLink(PartFile.Of(saved), target);
            var failed = Signal.New<Exception>();
            await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess($"links-{Guid.NewGuid():N}"), host =>
            {
                host.HandlerFailed += failure => failed.TrySetResult(failure.Exception);
                host.OnFile((offer, token) => offer.SaveAsync(saved, cancellationToken: token));
            });

            await Assert.ThrowsAnyAsync<Exception>(() => hosts.Client.SendFileAsync(source).InTime());

            Assert.Contains("is a link", (await failed.Task.InTime()).Message, StringComparison.Ordinal);
            Assert.Equal(leadsToAFile, File.Exists(target));
            if (leadsToAFile)
                Assert.Equal("untouched", File.ReadAllText(target));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
