using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Interop;

/// <summary>Programs that use the client library and no host, as docs/rabbitmq-format.md shows them.</summary>
public sealed class PlainClientTests(BrokerFixture broker)
{
    [Fact]
    public async Task Message_of_plain_client_is_handled_by_host()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await host.SubscribeAsync("scores", DeliveryKind.AtLeastOnce, "board");
        await using var bare = await fleet.AddBareAsync();

        await PlainClient.PublishScoreAsync(bare, fleet.Scope, 1234);

        await got.CountAsync(1);
        Assert.Equal((new Numbered(1234), new Origin("plain", "scores", 0, false, 1)), got.All[0]);
    }

    [Fact]
    public async Task Message_of_host_is_read_by_plain_client()
    {
        await using var fleet = new Fleet(broker.Get());
        var host = await fleet.AddAsync();
        await using var bare = await fleet.AddBareAsync();
        var queue = await PlainClient.BindScoresAsync(bare, fleet.Scope);

        host.Publish("scores", new Numbered(-5));

        BasicGetResult? delivery = null;
        await Until.TrueAsync(async () => (delivery = await bare.BasicGetAsync(queue, autoAck: true)) is not null);
        Assert.Equal(-5, PlainClient.ReadScore(delivery!));
    }

    [Fact]
    public void Page_shows_the_code_of_these_tests()
    {
        var code = File.ReadAllLines(Path.Combine(AppContext.BaseDirectory, "docs", "PlainClient.cs.txt"));
        var shown = code.SkipWhile(static line => !line.StartsWith("    // Publishes", StringComparison.Ordinal)).SkipLast(1).Select(static line => line.Length > 4 ? line[4..] : "");

        var page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "docs", "rabbitmq-format.md")).ReplaceLineEndings("\n");

        Assert.Contains("```csharp\n" + string.Join('\n', shown) + "\n```", page, StringComparison.Ordinal);
    }
}
