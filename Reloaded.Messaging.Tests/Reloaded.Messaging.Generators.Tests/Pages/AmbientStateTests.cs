using System.Globalization;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Tests.Schemas;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>What hosts, texts and generated code take from the state of the process. The tests that change it run a program.</summary>
public sealed class AmbientStateTests : IDisposable
{
    // The numbers of this culture have the signs and separators of several cultures, because no machine has to have the data of cultures.
    private const string Prelude = """
        using System.Globalization;
        using Reloaded.Messaging;
        using Reloaded.Messaging.Hosting;

        if (args[0].Length > 0)
        {
            var culture = (CultureInfo)CultureInfo.GetCultureInfo(args[0]).Clone();
            var numbers = culture.NumberFormat;
            (numbers.NegativeSign, numbers.NumberDecimalSeparator, numbers.NumberGroupSeparator, numbers.PercentDecimalSeparator) = ("\u2212", "\u066B", "\u066C", "\u066B");
            (culture.DateTimeFormat.DateSeparator, culture.DateTimeFormat.TimeSeparator) = ("\u2044", "\u2236");
            CultureInfo.CurrentCulture = CultureInfo.CurrentUICulture = CultureInfo.DefaultThreadCurrentCulture = CultureInfo.DefaultThreadCurrentUICulture = culture;
            if ($"{-1.5}" != "\u22121\u066B5")
                throw new InvalidOperationException("The culture has no effect.");
        }

        """;

    private const string CultureProgram = Prelude + """
        // Bytes of messages.
        var writer = new MessageWriter();
        using (var packed = writer.Pack(new Values(-1.5, -7, -12345.678m, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc), TimeSpan.FromSeconds(-2.5), "\u0131I")))
            Console.WriteLine(Convert.ToHexString(packed.Memory.Span));

        // Texts of endpoints. Upper case letters are ASCII, also where an I has no dot.
        foreach (var text in new[] { "TCP://127.0.0.1:5000", "UNIX:/tmp/I", "IN-PROCESS:I", "PIPE:I", "WS://[::1]:80/I", "tcp://h:-1", "tcp://h:\u0661", "process:\u22121/i", "udp://h:70000" })
            Console.WriteLine(MessageEndpoint.TryParse(text, out var endpoint) ? endpoint : Text(() => MessageEndpoint.Parse(text)));

        // Texts of errors.
        Console.WriteLine(Text(() => new HostLimits { MaxPeers = -5 }).Split('\n')[0]);
        Console.WriteLine(Text(() => new MessageHostOptions { RequestTimeout = TimeSpan.FromSeconds(-2.5) }).Split('\n')[0]);
        var small = new MessageHostOptions { MessageLimits = new MessageLimits { MaxMessageSize = 2000 } };
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess("i"), host =>
        {
            host.HandlerFailed += _ => { }; // the requester has the text
            host.OnRequest(async (Ask ask, Peer _, CancellationToken token) =>
            {
                if (ask.Size < 0)
                    await Task.Delay(Timeout.Infinite, token);
                return new Reply(new string('x', ask.Size));
            });
            host.OnRequest((Bad bad) => throw new RequestFaultException(-1234, "A text."));
        }, small);
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.InProcess("i"));
        Console.WriteLine(await TextAsync(() => client.RequestAsync(new Ask(5000)).AsTask()));
        Console.WriteLine(await TextAsync(() => client.RequestAsync(new Ask(-1), TimeSpan.FromSeconds(0.25)).AsTask()));
        Console.WriteLine(await TextAsync(() => client.RequestAsync(new Bad()).AsTask()));
        Console.WriteLine(Text(() => server.Broadcast(new Reply(new string('x', 2_000_000)))));

        static string Text(Action action)
        {
            try { action(); return "no exception"; }
            catch (Exception e) { return e.Message; }
        }

        static async Task<string> TextAsync(Func<Task> action)
        {
            try { await action(); return "no exception"; }
            catch (Exception e) { return e.Message; }
        }

        [Message(1)] public record Values(double A, int B, decimal C, DateTime D, TimeSpan E, string F);
        [Message(2)] public record Ask(int Size) : IRequest<Reply>;
        [Message(3)] public record Reply(string Text);
        [Message(4)] public record Bad() : IRequest;
        """;

    private const string FolderProgram = """
        using Reloaded.Messaging;
        using Reloaded.Messaging.Hosting;

        var (first, second) = (args[0], args[1]);
        Directory.SetCurrentDirectory(first);
        var endpoint = MessageEndpoint.Unix("s");
        File.WriteAllText("mine.txt", "text");
        Directory.SetCurrentDirectory(second);
        await using var server = await MessageHost.ListenAsync(endpoint, host =>
        {
            host.OnFile(async (offer, token) =>
            {
                Directory.SetCurrentDirectory(first);
                var saving = offer.SaveAsync("theirs.txt", cancellationToken: token);
                Directory.SetCurrentDirectory(second);
                await saving;
            });
        });
        await using (var client = await MessageHost.ConnectAsync(endpoint))
        {
            Directory.SetCurrentDirectory(first);
            var sending = client.SendFileAsync("mine.txt");
            Directory.SetCurrentDirectory(second);
            await sending;
        }

        await server.DisposeAsync();
        Console.WriteLine(string.Join(' ', Directory.GetFiles(first).Select(Path.GetFileName).Order()));
        Console.WriteLine(string.Join(' ', Directory.GetFiles(second)));
        Console.WriteLine(Directory.GetCurrentDirectory() == second);
        """;

    private const string Contracts = """
        [Message(1)] public record Values(double A = -1.5, int B = -7, decimal C = -2.5m, float D = 1e-20f, long E = -9_000_000_000);
        [Message(2, Pooled = true)] public class Item { public string Title { get; set; } = "I"; public double Price { get; set; } = -0.5; public List<Values>? INDEX { get; set; } }
        public enum E : short { INNER = -1, B = 1000 }
        [Message(3)] public record I(E Kind = E.INNER, Dictionary<string, E>? Items = null);
        """;

    private readonly string _folder = Directory.CreateTempSubdirectory("rm-ambient").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Bytes_and_texts_of_a_program_do_not_depend_on_its_culture()
    {
        var (program, found) = await ConsoleProgram.CompileAsync(CultureProgram, "Cultures");
        Assert.Empty(found);

        var expected = await ConsoleProgram.RunAsync(program, New("plain"), "");

        Assert.Contains("within 0.25 s", expected, StringComparison.Ordinal);
        foreach (var culture in new[] { "tr-TR", "ar-SA", "sv-SE" })
            Assert.Equal(expected, await ConsoleProgram.RunAsync(program, New(culture), culture));
    }

    [Fact]
    public async Task Paths_stay_those_of_the_current_directory_at_the_call()
    {
        var (program, found) = await ConsoleProgram.CompileAsync(FolderProgram, "Folders");
        Assert.Empty(found);

        var output = await ConsoleProgram.RunAsync(program, New("program"), New("first"), New("second"));

        Assert.Equal("mine.txt s.lock theirs.txt\n\nTrue\n", output);
    }

    [Fact]
    public void Generated_code_and_schemas_do_not_depend_on_the_culture_of_the_compiler()
    {
        var expected = Generate();
        foreach (var name in new[] { "tr-TR", "ar-SA", "sv-SE" })
        {
            var culture = (CultureInfo)CultureInfo.GetCultureInfo(name).Clone();
            (culture.NumberFormat.NegativeSign, culture.NumberFormat.NumberDecimalSeparator) = ("\u2212", "\u066B");
            var before = CultureInfo.CurrentCulture;
            CultureInfo.CurrentCulture = culture;
            try
            {
                Assert.Equal(expected, Generate());
            }
            finally
            {
                CultureInfo.CurrentCulture = before;
            }
        }

        static List<string> Generate() =>
            [SchemaRunner.Write(Contracts), .. GeneratorRunner.Generate("using System; using System.Collections.Generic; using Reloaded.Messaging;\n" + Contracts).OrderBy(static file => file.Key, StringComparer.Ordinal).Select(static file => file.Value)];
    }

    private string New(string name) => Directory.CreateDirectory(Path.Combine(_folder, name)).FullName;
}
