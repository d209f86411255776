using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Security.Cryptography;
using System.Threading.Tasks;
using FileTransfer;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

// One command runs two processes. The tool sends a file to a receiver, kills the receiver in the middle, and starts another one: the transfer continues where it ended.
switch (args)
{
    case ["receiver", var name, var folder]:
        await ReceiveAsync(name, folder);
        return 0;
    case []:
        return await SendAsync();
    default:
        Console.Error.WriteLine("Usage: FileTransfer");
        return 2;
}

static async Task ReceiveAsync(string name, string folder)
{
    var path = Path.Combine(folder, "received"); // the receiver decides where the file goes; with several senders, each account needs a path of its own
    await using var server = await MessageHost.ListenAsync(MessageEndpoint.Local(name), host =>
    {
        host.OnFile((offer, token) => offer.SaveAsync(path, cancellationToken: token));
        host.OnRequest((HashQuery _) => new HashReport(Hash(path)));
    });
    Console.WriteLine("ready");
    await Console.In.ReadLineAsync(); // ends with the tool
}

static async Task<int> SendAsync()
{
    const int Size = 128 << 20;
    var name = $"file-transfer-{Environment.ProcessId}";
    var folder = Directory.CreateTempSubdirectory("file-transfer").FullName;
    var receiver = await StartReceiverAsync(name, folder);
    try
    {
        Console.WriteLine($"Sending {Size / 1e6:N1} MB from process {Environment.ProcessId} to process {receiver.Id}.");
        var source = Path.Combine(folder, "source");
        var bytes = new byte[Size];
        Random.Shared.NextBytes(bytes);
        await File.WriteAllBytesAsync(source, bytes);

        var options = new MessageHostOptions { Reconnect = new ReconnectOptions() };
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Local(name), options: options);
        var restarted = Task.CompletedTask;
        var sent = await client.SendFileAsync(source, progress: new ProgressLine(() => restarted = Task.Run(RestartAsync)));
        await restarted;

        var hash = (await client.RequestAsync<HashQuery, HashReport>(default, TimeSpan.FromSeconds(30))).Hash;
        var isSame = hash == Hash(source);
        Console.WriteLine();
        Console.WriteLine($"The second receiver had {sent.Resumed / 1e6:N1} MB, so {(sent.Length - sent.Resumed) / 1e6:N1} MB were sent to it.");
        Console.WriteLine($"SHA-256 {hash[..16]}…: {(isSame ? "the received file is the same" : "THE RECEIVED FILE DIFFERS")}.");
        Console.WriteLine("Next: docs/services-and-streams.md, or dotnet run -c Release --project Examples/GameConsole");
        return isSame && sent.Resumed > 0 ? 0 : 1;
    }
    finally
    {
        receiver.Kill();
        await receiver.WaitForExitAsync();
        receiver.Dispose();
        Directory.Delete(folder, recursive: true);
    }

    async Task RestartAsync()
    {
        var killed = receiver;
        killed.Kill();
        await killed.WaitForExitAsync();
        receiver = await StartReceiverAsync(name, folder);
        Console.WriteLine();
        Console.WriteLine($"Killed process {killed.Id} at half of the file, and started process {receiver.Id}.");
        killed.Dispose();
    }
}

static async Task<Process> StartReceiverAsync(string name, string folder)
{
    var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
    if (Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet")
        start.ArgumentList.Add(Assembly.GetExecutingAssembly().Location);
    foreach (var argument in (string[])["receiver", name, folder])
        start.ArgumentList.Add(argument);
    var process = Process.Start(start)!;
    await process.StandardOutput.ReadLineAsync();
    return process;
}

static string Hash(string path)
{
    using var file = File.OpenRead(path);
    return Convert.ToHexString(SHA256.HashData(file));
}
