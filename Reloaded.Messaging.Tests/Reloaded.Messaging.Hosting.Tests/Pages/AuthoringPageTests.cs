using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Samples;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>The code of docs/internals/authoring.md, compiled and run.</summary>
public sealed class AuthoringPageTests
{
    [Fact]
    public async Task Hosts_communicate_over_sample_transport()
    {
        var moves = new ConcurrentQueue<Move>();

        var transport = new LossyTransport(seed: 1) { Loss = 0.2 };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Over(transport, "my-game"), host => host.On((in Move move, Peer from) => moves.Enqueue(move)));
        var gone = server.Disconnection();
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Over(transport, "my-game"));

        for (var step = 0; step < 20; step++)
            client.Send(new Move(step));
        await client.DisposeAsync().AsTask().InTime(); // the goodbye arrives after all moves that were not lost
        await gone.InTime();

        Assert.InRange(moves.Count, 1, 19);
        Assert.InRange(transport.LostFrames, 20 - moves.Count, 24 - moves.Count); // the first ping of each side and its pong may be lost as well
    }

    [Fact]
    public async Task Sample_hosts_send_events_and_requests()
    {
        var moves = new ConcurrentQueue<Move>();
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var toGame = new TcpClient("127.0.0.1", ((IPEndPoint)listener.LocalEndpoint).Port);
        using var fromTool = await listener.AcceptTcpClientAsync();

        await using var game = FramedHost.Start(fromTool.GetStream(), LengthPrefix.UInt16LittleEndian, host => host.OnRequest((ListMods request) => new ModList(["skins", "sounds"])));
        await using var tool = FramedHost.Start(toGame.GetStream(), LengthPrefix.UInt16LittleEndian, host => host.On((Move move) => moves.Enqueue(move)));

        var mods = await tool.RequestAsync<ListMods, ModList>(new ListMods(true), TimeSpan.FromSeconds(5));
        game.Send(new Move(1));

        Assert.Equal(["skins", "sounds"], mods.Ids);
        await Signal.UntilAsync(() => moves.Contains(new Move(1)));
    }

    [Fact]
    public void Page_shows_lines_that_are_compiled()
    {
        var code = Directory.GetFiles(Page.PathOf("Samples"), "*.cs.txt").Append("AuthoringPageTests.cs.txt").SelectMany(Page.ReadCode);
        var shown = Page.ReadShown("authoring.md");

        Assert.InRange(shown.Count, 200, 500);
        Assert.Empty(shown.Except(code));
    }

    [Fact]
    public void Page_lists_types_for_authors()
    {
        var page = File.ReadAllText(Page.PathOf("authoring.md"));
        var types = typeof(MessageHost).Assembly.GetExportedTypes().Where(static type => type.Namespace == "Reloaded.Messaging.Hosting.BuildingBlocks").Select(static type => type.Name.Split('`')[0]).Distinct().ToList();

        Assert.InRange(types.Count, 5, 20);
        Assert.All(types, type => Assert.Contains("`" + type, page, StringComparison.Ordinal));
    }
}
