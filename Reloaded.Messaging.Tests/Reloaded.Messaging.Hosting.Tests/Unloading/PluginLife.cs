using System.Runtime.CompilerServices;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Services;

namespace Reloaded.Messaging.Tests.Unloading;

/// <summary>The work of a plugin between its load and its unload. The test runs it in a second context, with the library of the game or with another copy.</summary>
public static class PluginLife
{
    private const int Items = 20;

    /// <summary>Serves, connects, asks, calls a service, reads a stream and taps, and disposes all of it.</summary>
    /// <param name="endpoint">The endpoint, as text.</param>
    /// <returns>The number of replies, items and tapped messages.</returns>
    public static async Task<string> RunAsync(string endpoint)
    {
        var (items, tapped) = (0, 0);
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Parse(endpoint), static server =>
        {
            server.OnRequest(static (PluginQuestion question) => new PluginAnswer(question.Number));
            server.OnStream<PluginNumbers, PluginAnswer>(static (request, token) => CountAsync(request.Count, token));
        });
        using var service = server.AddService<IModLoader>(new Mods());
        using var tap = server.Tap((in TappedMessage _) => Interlocked.Increment(ref tapped));
        await using var client = await MessageHost.ConnectAsync(server.Endpoint);

        var answer = await client.RequestAsync<PluginQuestion, PluginAnswer>(new PluginQuestion(7));
        await client.GetService<IModLoader>().TouchAsync();
        await foreach (var item in client.StreamAsync<PluginNumbers, PluginAnswer>(new PluginNumbers(Items)))
            items += item.Number;
        return $"{answer.Number} {items} {Volatile.Read(ref tapped) > 0}";
    }

    private static async IAsyncEnumerable<PluginAnswer> CountAsync(int count, [EnumeratorCancellation] CancellationToken token)
    {
        for (var number = 1; number <= count; number++)
        {
            token.ThrowIfCancellationRequested();
            yield return new PluginAnswer(number);
            await Task.Yield();
        }
    }

    [Message(9001)]
    public readonly record struct PluginQuestion(int Number);

    [Message(9002)]
    public readonly record struct PluginAnswer(int Number);

    [Message(9003)]
    public readonly record struct PluginNumbers(int Count);
}
