using System;
using System.Linq;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Topology;

/// <summary>Topology that one host declares and another host uses.</summary>
public sealed class DeclaredTopologyTests(BrokerFixture broker)
{
    private const DeliveryKind Kept = DeliveryKind.AtLeastOnce;

    private static readonly RabbitOptions s_plain = new() { Name = "plain", DeclaresTopology = false, RetryDelay = TimeSpan.FromMilliseconds(100), MaxTries = 2 };

    [Fact]
    public async Task Declared_group_stores_messages_before_its_first_subscription()
    {
        await using var fleet = new Fleet(broker.Get());
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On<Numbered>(got.Add));
        await host.DeclareGroupAsync("orders", "shop").InTime();
        host.Publish("orders", new Numbered(1), Kept);
        await host.FlushAsync().InTime();

        await host.SubscribeAsync("orders", Kept, "shop");

        await got.CountAsync(1);
        Assert.Equal(0, host.GetStatistics().Unrouted);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(4)]
    public async Task User_without_the_right_to_declare_uses_a_declared_group(int partitions)
    {
        await using var fleet = new Fleet(broker.Get());
        var options = new SubscriptionOptions { Partitions = partitions };
        var admin = await fleet.AddAsync(options: s_plain with { DeclaresTopology = true });
        await admin.DeclareGroupAsync("orders.*", "shop", options).InTime();
        var user = await AddUserAsync(fleet);
        var factory = Fleet.FactoryOf(fleet.Port);
        (factory.UserName, factory.Password) = (user, "secret");
        var got = new Received<Numbered>();
        var host = await fleet.AddAsync(host => host.On((in Numbered message, Origin from) =>
        {
            got.Add(in message, from);
            if (from.Tries == 1)
                throw new InvalidOperationException("on purpose");
        }), s_plain, factory);

        await host.SubscribeAsync("orders.*", Kept, "shop", options).InTime();
        host.Publish("orders.books", new Numbered(1), Kept);

        await got.CountAsync(2);
        Assert.Equal([1, 2], got.All.Select(static one => one.From.Tries));
        Assert.Equal(0, host.GetStatistics().Undelayed);
        await host.SubscribeAsync("load", group: "any").InTime(); // temporary, so the host declares it
    }

    [Fact]
    public async Task Exchange_of_another_type_under_the_name_is_named_and_stays()
    {
        await using var fleet = new Fleet(broker.Get());
        var bare = await fleet.AddBareAsync();
        await bare.ExchangeDeclareAsync($"{fleet.Scope}.requests", ExchangeType.Fanout, cancellationToken: TestContext.Current.CancellationToken);

        var refused = await Assert.ThrowsAsync<OperationInterruptedException>(() => fleet.AddAsync());

        Assert.Contains($"{fleet.Scope}.requests", refused.Message, StringComparison.Ordinal);
        await bare.ExchangeDeclareAsync($"{fleet.Scope}.requests", ExchangeType.Fanout, cancellationToken: TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task Group_that_nobody_declared_is_refused_with_its_queue_and_the_way_out()
    {
        await using var fleet = new Fleet(broker.Get());
        await fleet.AddAsync();
        var host = await fleet.AddAsync(options: s_plain);

        var refused = await Assert.ThrowsAsync<OperationInterruptedException>(() => host.SubscribeAsync("orders", Kept, "shop").InTime());

        Assert.Contains($"'{fleet.Scope}.kept.shop.orders' does not exist", refused.Message, StringComparison.Ordinal);
        Assert.Contains("DeclareGroupAsync", refused.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<InvalidOperationException>(() => host.DeclareGroupAsync("orders", "shop"));
    }

    /// <summary>Adds a user that may declare only what is temporary.</summary>
    private async Task<string> AddUserAsync(Fleet fleet)
    {
        var user = $"{fleet.Scope}-user";
        await broker.Get().EvaluateAsync($"""
            rabbit_auth_backend_internal:add_user(<<"{user}">>, <<"secret">>, <<"test">>),
            rabbit_auth_backend_internal:set_permissions(<<"{user}">>, <<"/">>, <<"^(plain[.]|{fleet.Scope}[.](at-most-once|requests|replies|group[.]|answers[.]|roster[.]))">>, <<".*">>, <<".*">>, <<"test">>)
            """);
        return user;
    }
}
