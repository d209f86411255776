using System.Linq;
using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Unloading;

/// <summary>The work of a mod with its version of the library. The tests call it in this assembly, and in the copy that has <see cref="LibraryVersion"/>.</summary>
public static class VersionWork
{
    private const int Requests = 50;
    private const int Characters = 20_000;

    /// <summary>The version of the library.</summary>
    public static Version GetVersion() => typeof(MessageHost).Assembly.GetName().Version!;

    /// <summary>Starts a server that replies with its version.</summary>
    /// <param name="endpoint">The endpoint, as text.</param>
    /// <param name="publishedName">The name under which it is published, or <c>null</c>.</param>
    /// <returns>The server, and its endpoint.</returns>
    public static async Task<(IAsyncDisposable Server, string Endpoint)> ServeAsync(string endpoint, string? publishedName)
    {
        var server = await MessageHost.ListenAsync(
            MessageEndpoint.Parse(endpoint),
            static server => server.OnRequest(static (VersionQuestion question) => new VersionAnswer(GetVersion().ToString(), question.Text.Length)),
            new MessageHostOptions { PublishedName = publishedName });
        return (server, server.Endpoint.ToString());
    }

    /// <summary>Connects to a server, and sends requests that are larger than a ring of shared memory together.</summary>
    /// <param name="endpoint">The endpoint, as text.</param>
    /// <returns>The version that replied to each request.</returns>
    public static async Task<Version> AskAsync(string endpoint)
    {
        await using var client = await MessageHost.ConnectAsync(MessageEndpoint.Parse(endpoint));
        var questions = Enumerable.Range(0, Requests).Select(number => new VersionQuestion(new string('a', Characters + number))).ToList();
        var answers = await Task.WhenAll(questions.Select(question => client.RequestAsync<VersionQuestion, VersionAnswer>(question).AsTask()));
        return answers.Zip(questions).All(static pair => pair.First.Length == pair.Second.Text.Length)
            ? Version.Parse(answers.Select(static answer => answer.Version).Distinct().Single())
            : throw new InvalidOperationException("A reply is for another request.");
    }

    /// <summary>The endpoints of the running servers of a name.</summary>
    public static string[] FindServers(string name) => [.. MessageEndpoint.FindServers(name).Select(static server => server.ToString())];

    /// <summary>Packs a message, and counts before it is released.</summary>
    /// <param name="count">Counts.</param>
    public static int CountWhilePacked(Func<int> count)
    {
        using var packed = new MessageWriter().Pack(new VersionQuestion(""));
        return count();
    }

    /// <summary>The messages that this copy of the library has packed, and the program has not released.</summary>
    public static int CountPacked() => MessagePool.GetStatistics().Outstanding;

    /// <summary>Takes the right to write a received file to a path. Waits while a transfer of this copy of the library has it.</summary>
    public static async Task<IDisposable> ClaimPathAsync(string path) => await PathClaim.TakeAsync(path, (Peer)RuntimeHelpers.GetUninitializedObject(typeof(Peer)), CancellationToken.None);

    /// <summary>Whether the thread that sends keep-alives and ends overdue requests is running.</summary>
    public static bool IsTimerRunning() => HostTimer.Shared.Thread is not null;

    [Message(9011)]
    public sealed record VersionQuestion(string Text);

    [Message(9012)]
    public sealed record VersionAnswer(string Version, int Length);
}
