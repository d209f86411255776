using System.Globalization;
using System.IO;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.PeerProcess;
using Reloaded.Messaging.Tests.Reconnecting;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>Two processes over each transport of one machine, in both directions. RELOADED_MESSAGING_GAME names a program of another runtime, or for another kind of processor.</summary>
public sealed class TwoProcessTests
{
    private readonly string _name = $"two-{Guid.NewGuid():N}"[..20];

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    [InlineData("shm")]
    public async Task Server_in_the_other_process_gives_every_answer(string transport)
    {
        using var game = await GameProcess.StartAsync(_name, Questions.ServeVerb, EndpointOf(transport));
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Parse(game.Said), options: Questions.Patient);

        Assert.Equal(Questions.Count, await Questions.AskAsync(client));
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    [InlineData("shm")]
    public async Task Client_in_the_other_process_gets_every_answer(string transport)
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Parse(EndpointOf(transport)), Questions.Answer, Questions.Patient);

        using var game = await GameProcess.StartAsync(_name, Questions.AskVerb, server.Endpoint.ToString());

        Assert.Equal(Questions.Count, int.Parse(game.Said, CultureInfo.InvariantCulture));
    }

    private string EndpointOf(string transport) => transport switch
    {
        "tcp" => "tcp://127.0.0.1:0",
        "unix" => $"unix:{Path.Combine(Path.GetTempPath(), _name)}",
        _ => $"shm:{_name}",
    };
}
