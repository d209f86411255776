using System;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Extensions.Hosting.RabbitMQ;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.Worker;

public sealed class RabbitSettingsTests
{
    internal static RabbitHostSettings Read(params (string Key, string Value)[] settings)
    {
        var builder = TestProgram.Create(new LogRecorder(), [("lobby:Endpoint", "amqp://localhost"), .. settings.Select(static setting => ("lobby:" + setting.Key, setting.Value))]);
        builder.Services.AddRabbitHost("lobby");
        using var program = builder.Build();
        return program.Services.GetRequiredService<IOptionsMonitor<RabbitHostSettings>>().Get("lobby");
    }

    [Fact]
    public void Defaults_are_those_of_the_host_with_its_name()
    {
        var settings = Read();

        Assert.Equal(new RabbitOptions { Name = "lobby", Endpoints = settings.Options.Endpoints }, settings.Options);
        Assert.Empty(settings.Options.Endpoints);
        Assert.Equal(("localhost", 5672, "guest", "guest", "/", false), (settings.Connection!.HostName, settings.Connection.Endpoint.Port, settings.Connection.UserName, settings.Connection.Password, settings.Connection.VirtualHost, settings.Connection.Ssl.Enabled));
        Assert.Equal((TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(5)), (settings.Connection.RequestedHeartbeat, settings.Connection.NetworkRecoveryInterval));
        Assert.Empty(settings.Subscriptions);
    }

    [Fact]
    public void Values_are_read()
    {
        var settings = Read(
            ("endpoint", "amqps://tool:p%40ss@broker.example:5699/fleet"),
            ("Tls:Thumbprint", new string('a', 64)),
            ("Tls:TargetHost", "broker"),
            ("Reconnect:MaxDelay", "00:00:02"),
            ("Heartbeat", "00:00:05"),
            ("Name", "tool"),
            ("QueueReplicas", "3"),
            ("StopTimeout", "00:00:04"),
            ("DeadLetterFullMode", "wait"),
            ("Limits:MaxPendingBytes", "70000"),
            ("Answers", "lobby, lobby.eu"));

        var (connection, options) = (settings.Connection!, settings.Options);
        Assert.Equal(("broker.example", 5699, "tool", "p@ss", "fleet"), (connection.HostName, connection.Port, connection.UserName, connection.Password, connection.VirtualHost));
        Assert.Equal((true, "broker"), (connection.Ssl.Enabled, connection.Ssl.ServerName));
        Assert.NotNull(connection.Ssl.CertificateValidationCallback);
        Assert.Equal((TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(5)), (connection.NetworkRecoveryInterval, connection.RequestedHeartbeat));
        Assert.Equal(("tool", 3, TimeSpan.FromSeconds(4), FullMode.Wait, 70000), (options.Name, options.QueueReplicas, options.StopTimeout, options.DeadLetterFullMode, options.Limits.MaxPendingBytes));
        Assert.Equal(["lobby", "lobby.eu"], settings.Answers);
    }

    [Fact]
    public void Nodes_of_a_cluster_share_the_credentials()
    {
        var settings = Read(("Endpoint", "amqp://tool:old@node1, amqp://node2:5673"), ("User", "lobby"), ("Password", "secret"), ("VirtualHost", "/fleet"));

        Assert.Equal([("node1", 5672), ("node2", 5673)], settings.Options.Endpoints.Select(static node => (node.HostName, node.Port)));
        Assert.Equal(("lobby", "secret", "/fleet"), (settings.Connection!.UserName, settings.Connection.Password, settings.Connection.VirtualHost));
    }

    [Fact]
    public void Subscriptions_have_options_and_the_group_of_the_host()
    {
        var settings = Read(
            ("Group", "lobby"),
            ("Subscriptions:load.*:Prefetch", "7"),
            ("Subscriptions:results:Kind", "AtLeastOnce"),
            ("Subscriptions:results:RetryDelay", "00:00:03"),
            ("Subscriptions:watched:Topic", "results"),
            ("Subscriptions:watched:Kind", "AtLeastOnce"),
            ("Subscriptions:watched:Group", "watchers"));

        Assert.Equal(
            [
                new RabbitSubscription("load.*") { Options = new SubscriptionOptions { Prefetch = 7 } },
                new RabbitSubscription("results", DeliveryKind.AtLeastOnce, "lobby") { Options = new SubscriptionOptions { RetryDelay = TimeSpan.FromSeconds(3) } },
                new RabbitSubscription("results", DeliveryKind.AtLeastOnce, "watchers"),
            ],
            settings.Subscriptions);
    }

    [Theory]
    [InlineData("Endpont", "x", "The key 'Messaging:lobby:Endpont' is unknown. Did you mean 'Messaging:lobby:Endpoint'?")]
    [InlineData("Endpoint", "http://localhost", "'Messaging:lobby:Endpoint' contains 'http://localhost'. It must be one or more addresses")]
    [InlineData("Endpoint", "amqp://node1,amqp://tool:hidden@node2", "'Messaging:lobby:Endpoint' is not valid. It must be one or more addresses")]
    [InlineData("Tls:TargetHost", "broker", "'Messaging:lobby:Tls' is not valid. An address in Endpoint has no TLS. Begin each address with amqps://")]
    [InlineData("Tls:CertificatePath", "/missing.pfx", "The certificate cannot be loaded")]
    [InlineData("Heartbeat", "00:00:00", "Heartbeat is 00:00:00; the range is 00:00:01 to 00:10:00.")]
    [InlineData("QueueReplicas", "100", "'Messaging:lobby:QueueReplicas' is '100'. QueueReplicas is 100; the range is 1 to 99.")]
    [InlineData("QueueReplicas", "many", "'Messaging:lobby:QueueReplicas' is 'many'. It must be a whole number")]
    [InlineData("DeadLetterFullMode", "StopGroup", "'Messaging:lobby:DeadLetterFullMode' is 'StopGroup'. It must be DropOldest or Wait")]
    [InlineData("DeadLetterFullMode", "Reject", "DeadLetterFullMode is Reject; a queue of dead letters accepts DropOldest or Wait. Pass one of these values.")]
    [InlineData("Group", "a.b", "'Messaging:lobby:Group' is 'a.b'. The name 'a.b' contains a dot")]
    [InlineData("Limits:MaxPeers", "3", "The key 'Messaging:lobby:Limits:MaxPeers' is unknown")]
    [InlineData("Subscriptions", "load.*", "It must be a section with keys")]
    [InlineData("Subscriptions:load.*", "AtLeastOnce", "'Messaging:lobby:Subscriptions:load.*' is 'AtLeastOnce'. It must be a section with keys")]
    [InlineData("Subscriptions:load.*:Prefetc", "7", "Did you mean 'Messaging:lobby:Subscriptions:load.*:Prefetch'?")]
    [InlineData("Subscriptions:load.*:Prefetch", "none", "'Messaging:lobby:Subscriptions:load.*:Prefetch' is 'none'. It must be a whole number")]
    [InlineData("Subscriptions:results:Kind", "AtLeastOnce", "'Messaging:lobby:Subscriptions:results:Group' is not valid. An at-least-once subscription needs a group")]
    [InlineData("Subscriptions:load.*:MaxTries", "3", "The section 'Messaging:lobby:Subscriptions:load.*' is not valid. The subscription to 'load.*' is at most once and has MaxTries = 3.")]
    public void Wrong_value_is_an_error_that_names_the_key(string key, string value, string error)
    {
        var thrown = Assert.Throws<OptionsValidationException>(() => Read((key, value)));

        Assert.Contains(thrown.Failures, failure => failure.Contains(error, StringComparison.Ordinal));
        Assert.DoesNotContain("hidden", thrown.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Program_without_endpoint_does_not_start()
    {
        var builder = TestProgram.Create(new LogRecorder());
        builder.Services.AddRabbitHost("lobby");
        using var program = builder.Build();

        var error = await Assert.ThrowsAsync<OptionsValidationException>(() => program.StartAsync());

        Assert.Contains("'Messaging:lobby:Endpoint' is missing", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Wrong_subscription_of_code_prevents_the_start()
    {
        var builder = TestProgram.Create(new LogRecorder(), ("lobby:Endpoint", "amqp://localhost"));
        builder.Services.AddRabbitHost("lobby");
        builder.Services.Configure<RabbitHostSettings>("lobby", static settings => settings.Subscriptions.Add(new RabbitSubscription("results", DeliveryKind.AtLeastOnce)));
        using var program = builder.Build();

        var error = await Assert.ThrowsAsync<OptionsValidationException>(() => program.StartAsync());

        Assert.Contains("'lobby' are not valid. The at-least-once subscription to 'results' has no group.", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Hosts_of_all_kinds_need_unique_names() =>
        Assert.Contains("'game'", Assert.Throws<ArgumentException>(static () => new ServiceCollection().AddMessageServer("game").Services.AddRabbitHost("game")).Message, StringComparison.Ordinal);
}
