using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.Versioning;
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
            using var file = Write(new ServerEntry(ProcessIdentity.OfThis(), [new ServerPlace("Tcp", endpoint.Address, endpoint.Port, ownsSocket: false)], new byte[] { 1, 2, 3 }));
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
        LeaveBehind(Write(new ServerEntry(before, [new ServerPlace("Tcp", "127.0.0.1", 1, ownsSocket: false)], default)));

        var failure = await FailAsync(Here);

        Assert.Equal(DiscoveryFailure.StaleEntry, failure.Failure);
        Assert.Contains("belongs to another", failure.Message, StringComparison.Ordinal);
        Assert.False(File.Exists(EntryPath));
    }

    [Fact]
    public async Task An_entry_that_nobody_holds_is_a_dead_servers_and_goes_with_its_socket()
    {
        var socket = Path.Combine(ServerFolder.Get(), _name + ".sock");
        var lifeline = SharedMemoryTransport.GetSocketPath(_name);
        foreach (var path in new[] { socket, lifeline })
        {
            await File.WriteAllTextAsync(path, "");
            await File.WriteAllTextAsync(path + ".lock", "");
        }

        LeaveBehind(Write(new ServerEntry(ProcessIdentity.OfThis(), [new ServerPlace("SharedMemory", _name, 0, ownsSocket: true), new ServerPlace("Unix", socket, 0, ownsSocket: true)], default)));

        Assert.Equal(DiscoveryFailure.NoServer, (await FailAsync(Here)).Failure);

        Assert.Empty(Directory.EnumerateFiles(ServerFolder.Get(), _name + "*"));
        Assert.False(File.Exists(lifeline));
        Assert.False(File.Exists(lifeline + ".lock"));
    }

    [Fact]
    public async Task Client_that_finds_a_server_by_its_process_uses_shared_memory_where_it_is_preferred()
    {
        await using var server = await ListenAsync(Here);
        await using var client = await MessageHost.ConnectAsync(Here);

        Assert.Equal(SharedMemoryTransport.IsPreferred ? "shm" : "unix", client.Server.RemoteName.Split(':')[0]);
        Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
    }

    [Fact]
    public async Task Client_uses_the_socket_of_a_server_whose_shared_memory_it_cannot_reach()
    {
        await using var server = await ListenAsync(Here);
        var places = EntryFile.TryRead(EntryPath)!.Places;
        Assert.SkipWhen(places.Count < 2, "Servers of this system have no shared memory.");
        File.Delete(SharedMemoryTransport.GetSocketPath(places[0].Name));

        await using var client = await MessageHost.ConnectAsync(Here);

        Assert.StartsWith("unix://", client.Server.RemoteName, StringComparison.Ordinal);
        Assert.Equal(new Pong(1), await client.RequestAsync<Ping, Pong>(new Ping(1)).AsTask().InTime());
    }

    [Fact]
    public async Task Both_places_of_a_server_accept_clients_until_it_is_disposed()
    {
        await using var server = await ListenAsync(Here);
        var entry = EntryFile.TryRead(EntryPath)!;
        foreach (var place in entry.Places)
        {
            var endpoint = place.Kind == "Unix" ? MessageEndpoint.Unix(place.Name) : MessageEndpoint.SharedMemory(place.Name);
            for (var i = 0; i < 3; i++)
                await AskAsync(endpoint, new MessageHostOptions { Token = entry.Token });
        }

        await server.DisposeAsync();

        Assert.False(File.Exists(entry.Places[^1].Name));
        Assert.All(entry.Places, static place => Assert.False(File.Exists(SharedMemoryTransport.GetSocketPath(Path.GetFileName(place.Name)) + ".lock")));
    }

    [Fact]
    public async Task A_server_takes_the_place_of_a_dead_ones_entry_and_not_of_a_live_ones()
    {
        LeaveBehind(Write(new ServerEntry(ProcessIdentity.OfThis(), [new ServerPlace("Tcp", "127.0.0.1", 1, ownsSocket: false)], default)));
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
    public async Task FindAll_returns_servers_of_all_names_with_their_schemes()
    {
        await using var server = await ListenAsync(Here);
        await using var other = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static _ => { }, new MessageHostOptions { PublishedName = _name + ".more" });

        var found = PublishedServer.FindAll().Where(one => one.Endpoint.Address.StartsWith(_name, StringComparison.Ordinal)).ToList();

        Assert.Equal([Here, MessageEndpoint.OfProcess(Environment.ProcessId, _name + ".more")], found.Select(static one => one.Endpoint));
        Assert.Equal(["tcp"], found[1].Schemes);
        Assert.Equal(FormattableString.Invariant($"process://{Environment.ProcessId}/{_name}.more"), found[1].ToString());
        await other.DisposeAsync();
        Assert.Equal([Here], PublishedServer.FindAll().Select(static one => one.Endpoint).Where(one => one.Address.StartsWith(_name, StringComparison.Ordinal)));
    }

    [Fact]
    public async Task The_entry_is_for_this_user_alone()
    {
        TestSystem.RequireFileModes();
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
    [InlineData("reloaded-messaging server 1\nprocess 1 2\ntoken \n")]
    [InlineData("reloaded-messaging server 1\nprocess 1 2\nTcp 1 other 127.0.0.1\nTcp 1 127.0.0.1\ntoken \n")]
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
        var entry = new ServerEntry(
            new ProcessIdentity(12, 34),
            [new ServerPlace("SharedMemory", "12-AB", 0, ownsSocket: true), new ServerPlace("Unix", "/a b/c d", 0, ownsSocket: true), new ServerPlace("Tcp", "127.0.0.1", 80, ownsSocket: false)],
            new byte[] { 1, 2, 3 });

        var read = ServerEntry.TryRead(entry.Write())!;

        Assert.Equal(entry.Process, read.Process);
        Assert.Equal(entry.Places.Select(static place => place.Write()), read.Places.Select(static place => place.Write()));
        Assert.Equal([true, true, false], read.Places.Select(static place => place.OwnsSocket));
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
