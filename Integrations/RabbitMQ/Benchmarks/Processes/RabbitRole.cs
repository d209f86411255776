using System;
using System.Threading.Tasks;
using RabbitMQ.Client;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Processes;

/// <summary>The work of a process of the figures. The process does the work with a host, or with the client library alone.</summary>
public abstract class RabbitRole : IAsyncDisposable
{
    /// <summary>Publishes at least once.</summary>
    public const string Publisher = "publisher";

    /// <summary>Receives what a publisher sends.</summary>
    public const string Consumer = "consumer";

    /// <summary>Replies to requests.</summary>
    public const string Responder = "responder";

    /// <summary>The command for the library.</summary>
    public const string Ours = "ours";

    /// <summary>The command for the client library alone.</summary>
    public const string Bare = "bare";

    /// <summary>Connects to the broker, and starts to receive.</summary>
    public static async Task<RabbitRole> StartAsync(string role, ConnectionFactory factory, string name) => role switch
    {
        Publisher => await PublisherRole.ConnectAsync(factory, name),
        Consumer => await ConsumerRole.ConnectAsync(factory, name),
        Responder => await ResponderRole.ConnectAsync(factory, name),
        _ => throw new ArgumentException($"'{role}' is not a role. The roles are {Publisher}, {Consumer} and {Responder}.", nameof(role)),
    };

    /// <summary>Carries out a command.</summary>
    /// <param name="side"><see cref="Ours"/> or <see cref="Bare"/>.</param>
    /// <param name="number">The argument of the command.</param>
    /// <returns>The result of the command.</returns>
    public abstract Task<long> RunAsync(string side, long number);

    public abstract ValueTask DisposeAsync();
}
