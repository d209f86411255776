using System.Diagnostics;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

public sealed class RelayKilledTests(BrokerFixture broker)
{
    [Fact]
    public async Task Relay_that_is_killed_while_it_handles_loses_no_result()
    {
        const int Count = 2000;
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var options = Relay.OptionsOf(fleet.Scope);
        var sink = await fleet.AddAsync(host => host.On<Numbered>(got.Add), options);
        await sink.SubscribeAsync(Relay.Results, DeliveryKind.AtLeastOnce, "sink");
        await (await sink.SubscribeAsync(Relay.Jobs, DeliveryKind.AtLeastOnce, Relay.Group)).DisposeAsync();
        for (var number = 0; number < Count; number++)
            Assert.Equal(SendStatus.Sent, await sink.PublishAsync(Relay.Jobs, new Numbered(number), DeliveryKind.AtLeastOnce));
        await sink.FlushAsync().InTime();

        for (var kill = 0; kill < 3; kill++)
        {
            using var relay = Process.Start(new ProcessStartInfo("dotnet", [Assembly.GetExecutingAssembly().Location, Relay.Verb, $"{broker.Get().Port}", fleet.Scope]) { RedirectStandardInput = true, RedirectStandardOutput = true })!;
            for (var handled = 0; handled < Relay.MostJobs / 2; handled++)
                Assert.NotNull(await relay.StandardOutput.ReadLineAsync().InTime());
            relay.Kill(); // SIGKILL
            await relay.WaitForExitAsync().InTime();
        }

        RabbitHost last = null!;
        last = await fleet.AddAsync(host => host.On((in Numbered job, Origin _) => Assert.Equal(SendStatus.Sent, last.Publish(Relay.Results, job, DeliveryKind.AtLeastOnce))), options);
        await last.SubscribeAsync(Relay.Jobs, DeliveryKind.AtLeastOnce, Relay.Group);

        await got.UntilAsync(static all => all.Select(static one => one.Message.Number).Distinct().Count() == Count);
    }
}
