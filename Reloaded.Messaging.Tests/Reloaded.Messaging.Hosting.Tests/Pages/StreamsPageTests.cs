using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

[Message(30)] public sealed record TailLog(string Mod) : IStreamRequest<LogLine>;
[Message(31)] public sealed record LogLine(int Number, string Text);
[Message(32)] public sealed record ModLoaded(string Mod);
[Message(33)] public sealed record Install(string Name) : IRequest<Installed>;
[Message(34)] public sealed record Installed(int Files);
[Message(35)] public sealed record ModFile(string Path, byte[] Bytes);
[Message(36)] public sealed record OpenConsole : IStreamRequest<LogLine>;
[Message(37)] public sealed record Command(string Text);
[Message(38)] public sealed record Rebuild(string Map) : IRequest<Rebuilt>;
[Message(39)] public sealed record Rebuilt(int Chunks);
[Message(40)] public readonly record struct Percent(int Value);

/// <summary>What docs/services-and-streams.md shows of streams and files, compiled and run.</summary>
public sealed class StreamsPageTests : IDisposable
{
    private static int s_names;

    private readonly MessageEndpoint _endpoint = MessageEndpoint.InProcess($"streams-page-{Interlocked.Increment(ref s_names)}");
    private readonly string _folder = Directory.CreateTempSubdirectory("rm-streams-page").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_tool_reads_the_log_of_a_game()
    {
        var log = new Log();
        await using var server = await MessageHost.ListenAsync(_endpoint, host =>
        {
            // The game: the handler returns an IAsyncEnumerable<LogLine>.
            host.OnStream((TailLog request, CancellationToken token) => log.ReadAsync(request.Mod, token));
        });
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        // The tool.
        await foreach (LogLine line in client.StreamAsync(new TailLog("mods")))
            Console.WriteLine(line.Text);

        Assert.Equal(["mods"], log.Read);
    }

    [Fact]
    public async Task A_tool_sends_the_files_of_a_mod()
    {
        var mods = new Mods();
        var files = FilesAsync();
        await using var server = await MessageHost.ListenAsync(_endpoint, host =>
        {
            // The game: the handler reads the items, and returns the reply.
            host.OnRequest(async (Install request, IAsyncEnumerable<ModFile> files, CancellationToken token) =>
            {
                var count = 0;
                await foreach (ModFile file in files)
                    count += await mods.AddAsync(request.Name, file, token);
                return new Installed(count);
            });
        });
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        // The tool: files is an IAsyncEnumerable<ModFile>.
        Installed installed = await client.RequestAsync(new Install("maps"), files);

        Assert.Equal(3, installed.Files);
        Assert.Equal(["maps/0", "maps/1", "maps/2"], mods.Added);

        static async IAsyncEnumerable<ModFile> FilesAsync()
        {
            for (var i = 0; i < 3; i++)
            {
                yield return new ModFile($"{i}", [1, 2, 3]);
                await Task.Yield();
            }
        }
    }

    [Fact]
    public async Task A_tool_has_a_console_of_the_game()
    {
        var console = new GameConsole();
        var commands = CommandsAsync();
        await using var server = await MessageHost.ListenAsync(_endpoint, host =>
        {
            // The game: the handler returns an IAsyncEnumerable<LogLine>, and reads the commands meanwhile.
            host.OnStream((OpenConsole request, IAsyncEnumerable<Command> commands, CancellationToken token) => console.RunAsync(commands, token));
        });
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        // The tool: commands is an IAsyncEnumerable<Command>.
        await foreach (LogLine line in client.StreamAsync(new OpenConsole(), commands))
            Console.WriteLine(line.Text);

        Assert.Equal(["save", "quit"], console.Run);

        static async IAsyncEnumerable<Command> CommandsAsync()
        {
            yield return new Command("save");
            await Task.Yield();
            yield return new Command("quit");
        }
    }

    [Fact]
    public async Task A_tool_shows_the_progress_of_a_game()
    {
        var (maps, progress) = (new Maps(), new Percents());
        await using var server = await MessageHost.ListenAsync(_endpoint, host =>
        {
            // The game: the handler reports its progress.
            host.OnRequest(async (Rebuild request, IProgress<Percent> progress, CancellationToken token) =>
                new Rebuilt(await maps.RebuildAsync(request.Map, percent => progress.Report(new Percent(percent)), token)));
        });
        await using var client = await MessageHost.ConnectAsync(_endpoint);

        // The tool: progress is an IProgress<Percent>.
        Rebuilt rebuilt = await client.RequestAsync(new Rebuild("city"), progress);

        Assert.Equal(("city", 2), (maps.Rebuilt, rebuilt.Chunks));
        Assert.Equal(100, progress.Last);
    }

    [Fact]
    public async Task A_tool_waits_for_events()
    {
        using var source = new CancellationTokenSource();
        var token = source.Token;
        await using var server = await MessageHost.ListenAsync(_endpoint);
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        var reading = ReadAsync();
        server.Broadcast(new ModLoaded("a"));

        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.InTime());

        async Task ReadAsync()
        {
            await foreach (ModLoaded loaded in client.Events<ModLoaded>(token))
                Console.WriteLine(loaded.Mod);
        }
    }

    [Fact]
    public async Task A_tool_sends_and_receives_files()
    {
        var folder = _folder;
        var logPath = Path.Combine(folder, "log.txt");
        File.WriteAllText(logPath, "log");
        var progress = new Progress<TransferProgress>();
        await using var server = await MessageHost.ListenAsync(_endpoint, host =>
        {
            // The game decides where a file goes, or refuses it.
            host.OnFile(async (offer, token) =>
            {
                if (offer.Length > 1_000_000_000)
                    throw new RequestFaultException(1000, "A mod has at most 1 GB.");
                await offer.SaveAsync(Path.Combine(folder, $"{offer.From.Account ?? "upload"}.zip"), cancellationToken: token);
            });

            // The game opens the files that a peer may have.
            host.OnFileRequest((name, peer) => name == "log" ? File.OpenRead(logPath) : throw new RequestFaultException(1001, "No such file."));
        });
        await using var client = await MessageHost.ConnectAsync(_endpoint);
        var (mods, game) = (Path.Combine(folder, "mods.zip"), Path.Combine(folder, "game.log"));
        File.WriteAllText(mods, "mods");

        // The tool.
        TransferProgress sent = await client.SendFileAsync(mods, progress: progress);
        TransferProgress received = await client.ReceiveFileAsync("log", game, progress);

        Assert.Equal((4, 3), (sent.Transferred, received.Transferred));
        Assert.Equal("mods", File.ReadAllText(Path.Combine(folder, "upload.zip")));
        Assert.Equal("log", File.ReadAllText(game));
    }

    [Fact]
    public void The_page_shows_what_is_compiled_here_and_for_services()
    {
        var shown = Page.ReadShown("services-and-streams.md").Select(static line => line.Replace("\"mods.zip\"", "mods", StringComparison.Ordinal).Replace("\"game.log\"", "game", StringComparison.Ordinal)).ToList();

        Assert.InRange(shown.Count, 30, 130);
        Assert.Empty(shown.Except([.. Page.ReadCode("StreamsPageTests.cs.txt"), .. Page.ReadCode("ServicesPageTests.cs.txt")]));
    }

    private sealed class Percents : IProgress<Percent>
    {
        public int Last { get; private set; }

        public void Report(Percent value) => Last = value.Value;
    }

    private sealed class Maps
    {
        public string? Rebuilt { get; private set; }

        public async Task<int> RebuildAsync(string map, Action<int> report, CancellationToken token)
        {
            report(50);
            await Task.Yield();
            report(100);
            Rebuilt = map;
            return 2;
        }
    }

    private sealed class Mods
    {
        public List<string> Added { get; } = [];

        public Task<int> AddAsync(string mod, ModFile file, CancellationToken token)
        {
            token.ThrowIfCancellationRequested();
            Added.Add($"{mod}/{file.Path}");
            return Task.FromResult(1);
        }
    }

    private sealed class GameConsole
    {
        public List<string> Run { get; } = [];

        public async IAsyncEnumerable<LogLine> RunAsync(IAsyncEnumerable<Command> commands, [EnumeratorCancellation] CancellationToken token)
        {
            await foreach (var command in commands.WithCancellation(token))
            {
                Run.Add(command.Text);
                yield return new LogLine(Run.Count, $"> {command.Text}");
            }
        }
    }

    private sealed class Log
    {
        public List<string> Read { get; } = [];

        public async IAsyncEnumerable<LogLine> ReadAsync(string mod, [EnumeratorCancellation] CancellationToken token)
        {
            Read.Add(mod);
            for (var i = 0; i < 3 && !token.IsCancellationRequested; i++)
            {
                yield return new LogLine(i, $"{mod} {i}");
                await Task.Yield();
            }
        }
    }
}
