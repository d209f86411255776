using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using RabbitMQ.Client;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Extensions.Hosting.RabbitMQ;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tests.Worker;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

[Message(22)] public sealed record Load(int Players);
[Message(23)] public sealed record MatchResult(int Id);
[Message(24)] public sealed record FindServer(int Players);
[Message(25)] public sealed record Address(string Text);

/// <summary>Compiles and runs the code of docs/rabbitmq-worker-services.md, and reads its settings.</summary>
[Collection(DisturbedBroker.Name)]
public sealed class RabbitWorkerServicesPageTests(BrokerFixture broker)
{
    private readonly string _name = $"page-{Guid.NewGuid():N}"[..20];

    [Fact]
    public async Task Hosts_of_both_kinds_handle_messages()
    {
        var port = broker.Get().Port;
        var builder = Host.CreateEmptyApplicationBuilder(null);
        AddSettings(builder.Configuration, "Subscriptions");
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?>
        {
            ["Messaging:game:Endpoint"] = $"in-process:{_name}",
            ["Messaging:fleet:Endpoint"] = $"amqp://127.0.0.1:{port}",
            ["Messaging:fleet:User"] = "guest",
            ["Messaging:fleet:Password"] = "guest",
            ["Messaging:fleet:VirtualHost"] = "/",
            ["Messaging:fleet:Scope"] = _name,
        });
        var database = new Database();
        builder.Services.AddSingleton(database);

        builder.Services.AddMessageServer("game");
        builder.Services.AddRabbitHost("fleet", host => host.On((in Load load, Origin from) => Console.WriteLine($"{from.Sender}: {load.Players} players")))
            .AddEventHandler<MatchResult, MatchResultHandler>()
            .AddRequestHandler<FindServer, Address, FindServerHandler>();
        builder.Services.AddHealthChecks().AddMessageHosts(); // checks the server and the host

        using var program = builder.Build();
        await program.StartAsync();
        await Signal.UntilAsync(async () => (await program.CheckAsync()).Status == HealthStatus.Healthy);
        await using var server = await RabbitHost.ConnectAsync(new ConnectionFactory { HostName = "127.0.0.1", Port = port }, options: new RabbitOptions { Scope = _name });
        server.Publish("results", new MatchResult(7), DeliveryKind.AtLeastOnce);
        var address = await server.RequestAsync<FindServer, Address>("lobby", new FindServer(4));
        await Signal.UntilAsync(() => database.Last == 7);
        await program.StopAsync();

        Assert.Equal("north", address.Text);
    }

    [Fact]
    public void Settings_are_valid()
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        AddSettings(builder.Configuration, "Subscriptions");
        builder.Services.AddRabbitHost("fleet");
        using var program = builder.Build();

        var settings = program.Services.GetRequiredService<IOptionsMonitor<RabbitHostSettings>>().Get("fleet");

        Assert.Equal(["node1.example", "node2.example"], settings.Options.Endpoints.Select(static node => node.HostName));
        Assert.Equal(("lobby", "fleet", 64), (settings.Connection!.UserName, settings.Connection.VirtualHost, settings.Subscriptions[0].Options.Prefetch));
        Assert.Equal(["load.*", "results"], settings.Subscriptions.Select(static subscription => subscription.Topic));
    }

    [Fact]
    public void Page_shows_the_compiled_lines()
    {
        var shown = Page.ReadShown("worker-services.md");

        Assert.InRange(shown.Count, 10, 30);
        Assert.Empty(shown.Except(Page.ReadCode("RabbitWorkerServicesPageTests.cs.txt")));
    }

    /// <summary>Adds the settings of the only JSON block with a key.</summary>
    private static void AddSettings(IConfigurationBuilder configuration, string key) =>
        configuration.AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(Page.ReadBlocks("worker-services.md", "json").Single(block => block.Contains($"\"{key}\"", StringComparison.Ordinal)))));

    private sealed class FindServerHandler : IRequestHandler<FindServer, Address, Origin>
    {
        public ValueTask<Address> HandleAsync(FindServer request, Origin from, CancellationToken cancellationToken) => new(new Address("north"));
    }
}

public sealed class Database
{
    private int _last;

    public int Last => Volatile.Read(ref _last);

    public ValueTask KeepAsync(MatchResult result, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        Volatile.Write(ref _last, result.Id);
        return default;
    }
}

public sealed class MatchResultHandler(Database database) : IEventHandler<MatchResult, Origin>
{
    public async ValueTask HandleAsync(MatchResult message, Origin from, CancellationToken cancellationToken) =>
        await database.KeepAsync(message, cancellationToken);
}
