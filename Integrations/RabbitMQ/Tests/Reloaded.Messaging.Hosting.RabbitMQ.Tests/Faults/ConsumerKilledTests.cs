using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Faults;

public sealed class ConsumerKilledTests(BrokerFixture broker)
{
    [Fact]
    public async Task What_a_killed_process_had_not_finished_goes_to_another_with_a_mark()
    {
        const int Count = 500;
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var heir = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        using var victim = Victim.Start(broker.Get().Port, fleet.Scope);
        Assert.Equal("ready", await victim.StandardOutput.ReadLineAsync().InTime());

        for (var number = 1; number <= Count; number++)
            heir.Publish(Victim.Topic, new Numbered(number), DeliveryKind.AtLeastOnce);
        var handled = new List<long>();
        while (handled.LastOrDefault() != Victim.FirstUnfinished)
            handled.Add(long.Parse(await victim.StandardOutput.ReadLineAsync().InTime() ?? "", CultureInfo.InvariantCulture));
        await heir.FlushAsync().InTime();
        victim.Kill(); // SIGKILL
        await victim.WaitForExitAsync().InTime();
        await heir.SubscribeAsync(Victim.Topic, DeliveryKind.AtLeastOnce, Victim.Group);

        // Some that it had handled may come too.
        await got.UntilAsync(all => all.Any(static one => one.Message.Number == Victim.FirstUnfinished) && handled.Union(all.Select(static one => one.Message.Number)).Count() == Count);
        var there = got.All.ToDictionary(static one => one.Message.Number);
        Assert.Equal(Enumerable.Range(1, Count).Select(static number => (long)number), handled.Concat(there.Keys).Distinct().Order());
        Assert.True(there[Victim.FirstUnfinished].From is { IsRepeated: true, Tries: 2 });
        Assert.All(there.Keys.Intersect(handled), number => Assert.True(there[number].From.IsRepeated));
    }
}
