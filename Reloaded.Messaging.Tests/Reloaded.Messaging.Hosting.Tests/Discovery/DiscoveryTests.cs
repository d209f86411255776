using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.Versioning;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Discovery;

/// <summary>Alone, since every server that is published meanwhile would remove what these leave behind.</summary>
[Quiet]
[UnsupportedOSPlatform("windows")] // files have no such modes there
public sealed class DiscoveryTests
{
    private static int s_names;

    private readonly string _name = $"test-{Environment.ProcessId}-{Interlocked.Increment(ref s_names)}";

    private MessageEndpoint Here => MessageEndpoint.OfProcess(Environment.ProcessId, _name);

    private string EntryPath => ServerFolder.PathOf(_name, Environment.ProcessId);

    [Fact]
    public async Task A_server_is_found_by_its_process_and_name()
    {
        await using var server = await ListenAsync(Here);

        await AskAsync(Here);
        await AskAsync(server.Endpoint);
        Assert.Equal(Here, server.Endpoint);
        Assert.Equal($"process://{Environment.ProcessId}/{_name}", server.Endpoint.ToString());
    }

    [Fact]
    public async Task A_server_is_found_wherever_it_listens_and_its_own_endpoint_works_for_who_knows_the_token()
    {
        var token = new byte[16];
        await using var server = await ListenAsync(MessageEndpoint.Tcp(0), new MessageHostOptions { PublishedName = _name, Token = token });

        Assert.Equal("tcp", server.Endpoint.Transport.Scheme);
        await AskAsync(Here, new MessageHostOptions { Token = token });
        await AskAsync(server.Endpoint, new MessageHostOptions { Token = token });
        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => AskAsync(Here));
        Assert.Equal(DisconnectReason.WrongToken, refusal.Reason); // a token of the program's own is not published
        Assert.True(EntryFile.TryRead(EntryPath)!.Token.IsEmpty);
    }

    [Fact]
    public async Task Who_did_not_find_it_does_not_know_its_token()
    {
        await using var server = await ListenAsync(MessageEndpoint.Tcp(0), new MessageHostOptions { PublishedName = _name });

        await AskAsync(Here);
        var refusal = await Assert.ThrowsAsync<HandshakeException>(() => AskAsync(server.Endpoint));

        Assert.Equal(DisconnectReason.WrongToken, refusal.Reason);
    }

    [Fact]
    public async Task A_squatter_on_the_endpoint_is_not_believed()
    {
        await using var squatter = await ListenAsync(MessageEndpoint.Tcp(0));
        await using var guesser = await ListenAsync(MessageEndpoint.Tcp(0), new MessageHostOptions { Token = new byte[32] });

        foreach (var endpoint in new[] { squatter.Endpoint, guesser.Endpoint })
        {
            using var file = Write(new ServerEntry(ProcessIdentity.OfThis(), "Tcp", endpoint.Address, endpoint.Port, new byte[] { 1, 2, 3 }, OwnsSocket: false));
            var refusal = await Assert.ThrowsAsync<HandshakeException>(() => AskAsync(Here));
            Assert.Equal(DisconnectReason.WrongToken, refusal.Reason);
        }
    }

    [Fact]
    public async Task A_process_that_does_not_exist_is_told_apart()
    {
        using var gone = OperatingSystem.IsWindows() ? Process.Start("cmd.exe", "/c exit") : Process.Start("true");
        await gone.WaitForExitAsync();

        var failure = await FailAsync(MessageEndpoint.OfProcess(gone.Id, _name));

        Assert.Equal(DiscoveryFailure.NoProcess, failure.Failure);
        Assert.Contains($"There is no process {gone.Id}", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_process_without_a_server_is_told_apart()
    {
        var failure = await FailAsync(Here);

        Assert.Equal(DiscoveryFailure.NoServer, failure.Failure);
        Assert.Contains(_name, failure.Message, StringComparison.Ordinal);
        Assert.Contains("Wine", failure.Message, StringComparison.Ordinal); // an id of Wine may also be the id of another process
    }

    [Fact]
    public async Task An_entry_whose_id_belongs_to_another_process_now_is_told_apart_and_removed()
    {
        var before = new ProcessIdentity(Environment.ProcessId, ProcessIdentity.OfThis().Started - 1);
        LeaveBehind(Write(new ServerEntry(before, "Tcp", "127.0.0.1", 1, default, OwnsSocket: false)));

        var failure = await FailAsync(Here);

        Assert.Equal(DiscoveryFailure.StaleEntry, failure.Failure);
        Assert.Contains("belongs to another", failure.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(EntryPath));
    }

    [Fact]
    public async Task An_entry_that_nobody_holds_is_a_dead_servers_and_goes_with_its_socket()
    {
        var socket = Path.Combine(ServerFolder.Get(), _name + ".sock");
        await File.WriteAllTextAsync(socket, "");
        await File.WriteAllTextAsync(socket + ".lock", "");
        LeaveBehind(Write(new ServerEntry(ProcessIdentity.OfThis(), "Unix", socket, 0, default, OwnsSocket: true)));

        Assert.Equal(DiscoveryFailure.NoServer, (await FailAsync(Here)).Failure);

        Assert.Empty(Directory.EnumerateFiles(ServerFolder.Get(), _name + "*"));
    }

    [Fact]
    public async Task A_server_takes_the_place_of_a_dead_ones_entry_and_not_of_a_live_ones()
    {
        LeaveBehind(Write(new ServerEntry(ProcessIdentity.OfThis(), "Tcp", "127.0.0.1", 1, default, OwnsSocket: false)));
        await using var first = await ListenAsync(Here);

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => ListenAsync(Here));

        Assert.Contains("already", refusal.Message, StringComparison.Ordinal);
        await AskAsync(Here);
    }

    [Fact]
    public async Task A_server_leaves_nothing_behind()
    {
        for (var i = 0; i < 3; i++)
        {
            var server = await ListenAsync(Here);
            await AskAsync(Here);
            Assert.NotEmpty(OwnFiles());
            await server.DisposeAsync();
            await server.DisposeAsync();
        }

        Assert.Empty(OwnFiles());

        string[] OwnFiles() => [.. Directory.EnumerateFiles(ServerFolder.Get()).Where(path => path.Contains(_name, StringComparison.Ordinal))];
    }

    [Fact]
    public async Task Servers_of_a_name_are_listed_and_those_of_longer_names_or_the_dead_are_not()
    {
        Assert.Empty(MessageEndpoint.FindServers(_name));
        await using var server = await ListenAsync(Here);
        await using var other = await ListenAsync(MessageEndpoint.OfProcess(Environment.ProcessId, _name + ".more"));

        Assert.Equal([Here], MessageEndpoint.FindServers(_name));
        await other.DisposeAsync();
        Assert.Empty(MessageEndpoint.FindServers(_name + ".more"));
    }

    [Fact]
    public async Task The_entry_is_for_this_user_alone()
    {
        await using var server = await ListenAsync(Here);

        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(EntryPath));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, File.GetUnixFileMode(ServerFolder.Get()));
        Assert.Equal(32, EntryFile.TryRead(EntryPath)!.Token.Length);
    }

    [Theory]
    [InlineData("")]
    [InlineData("reloaded-messaging server 1\n")]
    [InlineData("reloaded-messaging server 2\nprocess 1 2\nTcp 1 other 127.0.0.1\ntoken \n")]
    [InlineData("reloaded-messaging server 1\nprocess 1 2\nTcp 1 other 127.0.0.1\ntoken")]
    [InlineData("reloaded-messaging server 1\nprocess 1 2\nTcp 1 other 127.0.0.1\ntoken ?\n")]
    [InlineData("reloaded-messaging server 1\nprocess 1 2\nTcp 65536 other 127.0.0.1\ntoken \n")]
    [InlineData("reloaded-messaging server 1\nprocess 1 2\nCarrier 1 other 127.0.0.1\ntoken \n")]
    [InlineData("reloaded-messaging server 1\nprocess x 2\nTcp 1 other 127.0.0.1\ntoken \n")]
    public async Task What_is_no_entry_is_taken_for_none(string text)
    {
        Assert.Null(ServerEntry.TryRead(text));

        await File.WriteAllTextAsync(EntryPath, text);
        Assert.Equal(DiscoveryFailure.NoServer, (await FailAsync(Here)).Failure);
    }

    [Fact]
    public void An_entry_comes_back_as_it_was_written()
    {
        var entry = new ServerEntry(new ProcessIdentity(12, 34), "Unix", "/a b/c d", 0, new byte[] { 1, 2, 3 }, OwnsSocket: true);

        var read = ServerEntry.TryRead(entry.Write())!;

        Assert.Equal(entry with { Token = default }, read with { Token = default });
        Assert.Equal(entry.Token.ToArray(), read.Token.ToArray());
    }

    [Fact]
    public async Task What_cannot_be_meant_is_refused()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => MessageEndpoint.OfProcess(0, _name));
        Assert.Throws<ArgumentException>(() => MessageEndpoint.OfProcess(1, "a/b"));
        Assert.Contains("another process", (await Assert.ThrowsAsync<InvalidOperationException>(() => ListenAsync(MessageEndpoint.OfProcess(1, _name)))).Message, StringComparison.Ordinal);
        var inProcess = Assert.ThrowsAsync<InvalidOperationException>(() => ListenAsync(MessageEndpoint.InProcess(_name), new MessageHostOptions { PublishedName = _name }));
        Assert.Contains("PublishedName", (await inProcess).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Server_whose_file_cannot_be_renamed_throws_InvalidOperationException()
    {
        Directory.CreateDirectory(EntryPath);
        try
        {
            var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => ListenAsync(Here));

            Assert.StartsWith("The server can't be published", refusal.Message, StringComparison.Ordinal);
        }
        finally
        {
            Directory.Delete(EntryPath);
        }
    }

    private static Task<MessageServer> ListenAsync(MessageEndpoint endpoint, MessageHostOptions? options = null) =>
        MessageHost.ListenAsync(endpoint, server => server.OnRequest((Ping ping) => new Pong(ping.Number)), options);

    private static async Task AskAsync(MessageEndpoint endpoint, MessageHostOptions? options = null)
    {
        await using var client = await MessageHost.ConnectAsync(endpoint, options: options).InTime();
        Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
    }

    private static Task<DiscoveryException> FailAsync(MessageEndpoint endpoint) => Assert.ThrowsAsync<DiscoveryException>(() => MessageHost.ConnectAsync(endpoint).InTime());

    private EntryFile Write(ServerEntry entry)
    {
        var file = EntryFile.Create(ServerFolder.Get());
        file.Write(entry);
        Assert.True(file.TryPublish(EntryPath));
        return file;
    }

    /// <summary>Leaves a file as a killed process does: nobody holds it.</summary>
    private void LeaveBehind(EntryFile file)
    {
        File.Copy(EntryPath, EntryPath + "~");
        file.Dispose();
        File.Move(EntryPath + "~", EntryPath);
    }
}
