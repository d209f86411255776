using System.IO;
using System.Runtime.Versioning;
using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

[UnsupportedOSPlatform("windows")] // which does not delete the folder of an open socket
public sealed class UnixSocketHostTests
{
    [Fact]
    public async Task Server_whose_folder_was_deleted_can_be_disposed_and_replaced()
    {
        var folder = Directory.CreateTempSubdirectory("rm-").FullName;
        var path = Path.Combine(folder, "s");
        var server = await MessageHost.ListenAsync(MessageEndpoint.Unix(path));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);
        Directory.Delete(folder, recursive: true);

        await server.DisposeAsync();

        Assert.Empty(server.Peers);
        Directory.CreateDirectory(folder);
        await using (var next = await MessageHost.ListenAsync(MessageEndpoint.Unix(path)))
            Assert.NotNull(next);
        Directory.Delete(folder, recursive: true);
    }
}
