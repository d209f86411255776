using System.IO;
using System.Linq;
using System.Security.Cryptography;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Files;

/// <summary>Several peers send files with hostile names into one folder, which also contains files of the user. A naive model of the folder says which contents each name may have.</summary>
public sealed class FileNamesModelTests : IDisposable
{
    private const int Batches = 25;

    private const string LinkTarget = "the contents of the file to which a link leads";

    private readonly string _root = Directory.CreateTempSubdirectory("rm-names-").FullName;
    private readonly string _folder;
    private readonly string _outside;
    private int _running;

    public FileNamesModelTests()
    {
        _folder = Directory.CreateDirectory(Path.Combine(_root, "folder")).FullName;
        _outside = Path.Combine(_root, "outside");
        File.WriteAllText(_outside, LinkTarget);
    }

    public void Dispose() => Directory.Delete(_root, recursive: true);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public async Task Complete_files_have_their_bytes_and_other_files_do_not_change(int seed)
    {
        var random = new Random(seed);
        var names = GetNames();
        var impossible = GetImpossibleNames();
        Directory.CreateDirectory(Path.Combine(_folder, "folder"));
        AddLinks();
        var endpoint = MessageEndpoint.InProcess($"names-{Guid.NewGuid():N}");
        await using var server = await MessageHost.ListenAsync(endpoint, host => host.OnFile(async (offer, token) =>
        {
            Interlocked.Increment(ref _running);
            try
            {
                await offer.SaveAsync(Path.Combine(_folder, offer.Name), cancellationToken: token);
            }
            finally
            {
                Interlocked.Decrement(ref _running);
            }
        }));
        var clients = await Task.WhenAll(Enumerable.Range(0, 3).Select(_ => MessageHost.ConnectAsync(endpoint)));
        var model = new Dictionary<string, string>(); // the hashes of the files
        var unfinished = new HashSet<string>();
        for (var batch = 0; batch < Batches; batch++)
        {
            if (random.Next(3) == 0)
                WriteAsUser(names[random.Next(names.Length)], random, model);
            var sends = Enumerable.Range(0, random.Next(1, 6)).Select(_ => Send.Choose(random, names, impossible, clients)).ToArray();

            await Task.WhenAll(sends.Select(static send => send.RunAsync()));
            await Signal.UntilAsync(() => Volatile.Read(ref _running) == 0);

            Check($"seed {seed}, batch {batch}: {string.Join("; ", sends.Select(static send => send.ToString()))}", sends, model, unfinished);
        }

        foreach (var client in clients)
            await client.DisposeAsync();
    }

    private static string[] GetNames()
    {
        List<string> names = ["mods.zip", "mods.zip.part", "notes", "notes.part", ".part", new('a', 255), new('b', 251), new string('\u00E9', 127) + "x"];
        if (OperatingSystem.IsLinux())
            names.AddRange(["MODS.ZIP", "Mods.zip", "NOTES.PART", "dead link", "live link", "line\nbreak"]);
        return [.. names];
    }

    private static string[] GetImpossibleNames()
    {
        List<string> names = ["folder", PartFile.NameOf("mods.zip"), PartFile.NameOf("mods.zip").ToUpperInvariant(), ".Reloaded-x.Part", new('c', 256)];
        if (OperatingSystem.IsLinux())
            names.Add(new string('\u00E9', 128)); // 256 bytes of UTF-8
        return [.. names];
    }

    private static string HashOf(byte[] bytes) => Convert.ToHexString(SHA256.HashData(bytes));

    private void AddLinks()
    {
        if (!OperatingSystem.IsLinux())
            return;
        File.CreateSymbolicLink(Path.Combine(_folder, "dead link"), Path.Combine(_root, "nowhere"));
        File.CreateSymbolicLink(Path.Combine(_folder, "live link"), _outside);
    }

    private void WriteAsUser(string name, Random random, Dictionary<string, string> model)
    {
        var path = Path.Combine(_folder, name);
        File.Delete(path); // and not the file to which a link leads
        model.Remove(name);
        if (random.Next(4) == 0)
            return;
        var bytes = Send.NewBytes(random);
        File.WriteAllBytes(path, bytes);
        model[name] = HashOf(bytes);
    }

    private void Check(string run, Send[] sends, Dictionary<string, string> model, HashSet<string> unfinished)
    {
        foreach (var sent in sends.GroupBy(static send => send.Name))
        {
            var path = Path.Combine(_folder, sent.Key);
            var complete = sent.Where(static send => send.Outcome is Outcome.Complete).Select(static send => send.Hash).ToArray();
            Assert.All(sent, send => Assert.True(send.IsExpected(sent), $"{run}: {send} ended with {send.Failure}"));
            var allowed = sent.Where(static send => send.Outcome is Outcome.Complete or Outcome.Canceled).Select(static send => send.Hash).ToList();
            if (complete.Length == 0)
                allowed.Add(model.GetValueOrDefault(sent.Key, ""));
            var found = File.Exists(path) && new FileInfo(path).LinkTarget is null ? HashOf(File.ReadAllBytes(path)) : "";
            Assert.True(sent.First().IsImpossible || allowed.Contains(found), $"{run}: {sent.Key} has other contents.");
            if (!sent.First().IsImpossible && found.Length > 0)
                model[sent.Key] = found;
            if (sent.Any(static send => send.Outcome is Outcome.Canceled or Outcome.Replaced))
                unfinished.Add(PartFile.NameOf(sent.Key));
            else if (complete.Length > 0)
                unfinished.Remove(PartFile.NameOf(sent.Key));
        }

        var files = new DirectoryInfo(_folder).GetFiles().Where(static file => file.LinkTarget is null).ToArray();
        foreach (var file in files)
        {
            if (model.TryGetValue(file.Name, out var hash))
                Assert.True(HashOf(File.ReadAllBytes(file.FullName)) == hash, $"{run}: {file.Name} has changed.");
            else
                Assert.True(unfinished.Contains(file.Name) && file.Length > 0, $"{run}: {file.Name} ({file.Length} bytes) is left.");
        }

        Assert.True(model.Keys.All(name => files.Any(file => file.Name == name)), $"{run}: a file is gone.");
        Assert.Equal(LinkTarget, File.ReadAllText(_outside));
        Assert.False(File.Exists(Path.Combine(_root, "nowhere")));
    }

    private enum Outcome
    {
        Complete,
        Canceled,
        Replaced,
        Refused,
        Failed,
    }

    /// <summary>A file that a peer sends.</summary>
    private sealed class Send(MessageClient client, string name, byte[] bytes, bool isCanceled, bool isImpossible)
    {
        public string Name => name;

        public string Hash { get; } = HashOf(bytes);

        public bool IsImpossible => isImpossible;

        public Outcome Outcome { get; private set; }

        public Exception? Failure { get; private set; }

        public static Send Choose(Random random, string[] names, string[] impossible, MessageClient[] clients)
        {
            var isImpossible = random.Next(8) == 0;
            var from = isImpossible ? impossible : random.Next(2) == 0 ? names[..2] : names;
            return new Send(clients[random.Next(clients.Length)], from[random.Next(from.Length)], NewBytes(random), random.Next(5) == 0, isImpossible);
        }

        public static byte[] NewBytes(Random random)
        {
            var bytes = new byte[random.Next(3) == 0 ? random.Next(10) : random.Next(600_000)];
            random.NextBytes(bytes);
            return bytes;
        }

        public async Task RunAsync()
        {
            using var canceled = new CancellationTokenSource();
            try
            {
                await client.SendFileAsync(new MemoryStream(bytes), name, isCanceled ? new Canceling(canceled) : null, canceled.Token).InTime();
                Outcome = Outcome.Complete;
            }
            catch (OperationCanceledException) when (isCanceled)
            {
                Outcome = Outcome.Canceled;
            }
            catch (Exception e)
            {
                Failure = e;
                Outcome = (e is FileTransferException ? e.InnerException : e) switch
                {
                    RequestFaultException { Code: FaultCode.InvalidPath } => Outcome.Refused,
                    RequestFaultException { Code: FaultCode.HandlerFailed } => Outcome.Replaced,
                    _ => Outcome.Failed,
                };
            }
        }

        /// <summary>Whether the outcome is right. A transfer fails only if its name is impossible, or if the same peer has sent another file to the name.</summary>
        public bool IsExpected(IEnumerable<Send> toThisName) => Outcome switch
        {
            Outcome.Complete => !isImpossible,
            Outcome.Canceled => isCanceled,
            Outcome.Refused => isImpossible,
            Outcome.Replaced => toThisName.Count(other => other.IsFrom(client)) > 1,
            _ => false,
        };

        public override string ToString() => $"\"{name}\" ({bytes.Length} bytes, {(isCanceled ? "canceled" : "not canceled")})";

        private bool IsFrom(MessageClient other) => client == other;

        private sealed class Canceling(CancellationTokenSource canceled) : IProgress<TransferProgress>
        {
            public void Report(TransferProgress value) => canceled.Cancel();
        }
    }
}
