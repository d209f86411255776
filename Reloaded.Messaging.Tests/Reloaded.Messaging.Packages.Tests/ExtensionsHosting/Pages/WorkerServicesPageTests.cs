using System.IO;
using System.Linq;
using System.Text;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Tests.Worker;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

[Message(20)] public sealed record ListMods;
[Message(21)] public sealed record ModList(string[] Ids);
[Message(26)] public sealed record BanPlayer(string Name);
[Message(27)] public sealed record Banned(string Name);

public sealed class Audit
{
    public List<string> Types { get; } = [];

    public void Write(string type, string? peer)
    {
        if (peer is not null)
            Types.Add(type);
    }
}

public sealed class AuditFilter(Audit audit) : IHandlerFilter
{
    public async ValueTask InvokeAsync(HandlerCall call)
    {
        await call.NextAsync();
        audit.Write(call.Contract.MessageType.Name, call.Peer?.RemoteName);
    }
}

[ModeratorsOnly]
public sealed class BanPlayerHandler : IRequestHandler<BanPlayer, Banned>
{
    public ValueTask<Banned> HandleAsync(BanPlayer request, Peer from, CancellationToken cancellationToken) => new(new Banned(request.Name));
}

public sealed class ModeratorsOnlyAttribute : HandlerFilterAttribute
{
    public static PeerState<bool> IsModerator { get; } = new(_ => false); // the login sets it

    public override ValueTask InvokeAsync(HandlerCall call) =>
        call.Peer is { } peer && IsModerator.Of(peer) ? call.NextAsync() : throw new RequestFaultException(1001, "Only moderators may do that.");
}

/// <summary>Compiles and runs the code of docs/worker-services.md, and reads its settings.</summary>
public sealed class WorkerServicesPageTests
{
    private readonly string _name = $"page-{Guid.NewGuid():N}"[..20];

    [Fact]
    public async Task Program_with_server_and_client_replies_to_a_request()
    {
        await using var lobby = await MessageHost.ListenAsync(MessageEndpoint.InProcess($"{_name}-lobby"));
        var reply = Signal.New<ModList>();

        await Deadline.RunAside(() => Run([], builder =>
        {
            builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { ["Messaging:game:Endpoint"] = $"in-process:{_name}", ["Messaging:lobby:Endpoint"] = lobby.Endpoint.ToString() });
            builder.Logging.ClearProviders();
            builder.Services.AddSingleton(reply).AddHostedService<Tool>();
        })).InTime();

        Assert.Equal(["a", "b"], (await reply.Task).Ids);
    }

    [Fact]
    public async Task Filters_surround_handler_classes()
    {
        var audit = new Audit();
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Configuration.AddInMemoryCollection(new Dictionary<string, string?> { ["Messaging:game:Endpoint"] = $"in-process:{_name}-filters" });
        builder.Services.AddSingleton(audit);
        builder.Services.AddMessageServer("game")
            .AddFilter<AuditFilter>()
            .AddRequestHandler<BanPlayer, Banned, BanPlayerHandler>();
        using var program = builder.Build();
        await program.StartAsync();
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.InProcess($"{_name}-filters"));

        var refused = await client.TryRequestAsync<BanPlayer, Banned>(new BanPlayer("Mallory"));
        ModeratorsOnlyAttribute.IsModerator.Of(program.Services.GetRequiredService<MessageServer>().Peers.Single()) = true;
        var reply = await client.RequestAsync<BanPlayer, Banned>(new BanPlayer("Mallory"));
        await program.StopAsync();

        Assert.Equal(1001, refused.Fault?.Code);
        Assert.Equal("Mallory", reply.Name);
        Assert.Equal([nameof(BanPlayer)], audit.Types);
    }

    [Fact]
    public void Settings_of_servers_and_clients_are_valid()
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        AddSettings(builder.Configuration, "Limits");
        builder.Services.AddMessageServer("game");
        builder.Services.AddMessageClient("lobby");
        using var program = builder.Build();
        var settings = program.Services.GetRequiredService<IOptionsMonitor<MessageHostSettings>>();

        // The certificate of the page does not exist.
        Assert.Contains("'server.pfx'. The certificate cannot be loaded", Assert.Single(Assert.Throws<OptionsValidationException>(() => settings.Get("game")).Failures), StringComparison.Ordinal);
        Assert.Equal(TimeSpan.FromSeconds(2), settings.Get("lobby").Options.Reconnect!.MaxDelay);
    }

    [Fact]
    public void Page_shows_the_compiled_lines()
    {
        var shown = Page.ReadShown("worker-services.md");

        Assert.InRange(shown.Count, 20, 50);
        Assert.Empty(shown.Except(Page.ReadCode("WorkerServicesPageTests.cs.txt")));
    }

    /// <summary>Runs the first program of the page until it stops itself.</summary>
    private static void Run(string[] args, Action<HostApplicationBuilder> prepare)
    {
        var builder = Host.CreateApplicationBuilder(args);
        prepare(builder);
        builder.Services.AddMessageServer("game", server => server.On((in Suspend suspend, Peer peer) => Console.WriteLine(suspend)))
            .AddRequestHandler<ListMods, ModList, ListModsHandler>();
        builder.Services.AddMessageClient("lobby");
        builder.Services.AddHealthChecks().AddMessageHosts();
        builder.Build().Run();
    }

    /// <summary>Adds the settings of the only JSON block with a key.</summary>
    private static void AddSettings(IConfigurationBuilder configuration, string key) =>
        configuration.AddJsonStream(new MemoryStream(Encoding.UTF8.GetBytes(Page.ReadBlocks("worker-services.md", "json").Single(block => block.Contains($"\"{key}\"", StringComparison.Ordinal)))));

    /// <summary>Sends a request to the program, and stops it when it has started.</summary>
    private sealed class Tool(MessageHostAccessor<MessageServer> game, TaskCompletionSource<ModList> reply, IHostApplicationLifetime program) : BackgroundService
    {
        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            var server = await game.WaitAsync(stoppingToken);
            await using var tool = await MessageHost.ConnectAsync(server.Endpoint, cancellationToken: stoppingToken);
            reply.SetResult(await tool.RequestAsync<ListMods, ModList>(new ListMods(), cancellationToken: stoppingToken));
            program.ApplicationStarted.Register(program.StopApplication); // Run throws if it is stopped while the client connects
        }
    }

    private sealed class ListModsHandler : IRequestHandler<ListMods, ModList>
    {
        public ValueTask<ModList> HandleAsync(ListMods request, Peer from, CancellationToken cancellationToken) => new(new ModList(["a", "b"]));
    }
}
