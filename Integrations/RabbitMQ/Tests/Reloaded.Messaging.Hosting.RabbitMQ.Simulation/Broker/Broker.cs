using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Simulation;

/// <summary>The RabbitMQ broker of the world: exchanges, queues and connections, as far as the library uses them. It behaves as version 4 does.</summary>
internal static class Broker
{
    private static readonly Dictionary<string, BrokerExchange> s_exchanges = [];
    private static readonly Dictionary<string, BrokerQueue> s_queues = [];
    private static readonly List<ClientConnection> s_connections = [];
    private static bool s_isDown;

    /// <summary>Whether the broker is low on memory, and reads nothing more from connections that publish.</summary>
    public static bool IsAlarmed { get; private set; }

    /// <summary>The connections of clients that are not lost.</summary>
    public static IReadOnlyList<ClientConnection> Connections => s_connections;

    public static IEnumerable<BrokerQueue> Queues => s_queues.Values;

    public static void Reset()
    {
        s_exchanges.Clear();
        s_queues.Clear();
        s_connections.Clear();
        (IsAlarmed, s_isDown) = (false, false);
    }

    /// <summary>Connects the current process.</summary>
    public static async Task<IConnection> ConnectAsync(string? name, CancellationToken cancellationToken)
    {
        var process = World.Current!;
        await Task.Delay(TimeSpan.FromMilliseconds(1 + World.Random.Next(20)), World.Time, cancellationToken).ConfigureAwait(false);
        if (s_isDown)
            throw new BrokerUnreachableException(new TimeoutException("The simulated broker does not run."));
        var connection = new ClientConnection(process, name ?? "");
        s_connections.Add(connection);
        return connection.Facade;
    }

    /// <summary>Loses a connection. The broker learns of it at about the same time as the client.</summary>
    public static void Lose(ClientConnection connection)
    {
        if (s_connections.Remove(connection))
            connection.Lose("simulated loss");
    }

    /// <summary>Loses the connections of a process.</summary>
    public static void LoseAll(SimulatedProcess process)
    {
        foreach (var connection in s_connections.Where(connection => connection.Process == process).ToArray())
            Lose(connection);
    }

    /// <summary>Forgets a connection that its client closed.</summary>
    public static void Forget(ClientConnection connection) => s_connections.Remove(connection);

    /// <summary>Stops the broker, and starts it again after a time.</summary>
    public static async Task RestartAsync(int milliseconds)
    {
        World.Note($"broker: down for {milliseconds} ms");
        s_isDown = true;
        SetAlarm(false);
        foreach (var connection in s_connections.ToArray())
            Lose(connection);
        foreach (var queue in s_queues.Values.Where(static queue => !queue.IsDurable).ToArray())
            Delete(queue);
        await World.DelayAsync(milliseconds).ConfigureAwait(false);
        s_isDown = false;
        World.Note("broker: up");
    }

    public static void SetAlarm(bool isAlarmed)
    {
        if (IsAlarmed == isAlarmed)
            return;
        World.Note($"broker: alarm {isAlarmed}");
        IsAlarmed = isAlarmed;
        foreach (var connection in s_connections.ToArray())
            connection.NoteAlarm();
    }

    public static void Declare(string exchange, string type, IDictionary<string, object?>? arguments)
    {
        if (!s_exchanges.ContainsKey(exchange))
            s_exchanges.Add(exchange, new BrokerExchange(type, arguments is not null && arguments.TryGetValue("alternate-exchange", out var other) ? other as string : null));
    }

    public static BrokerQueue Declare(string queue, ClientConnection? owner, bool isDurable, bool autoDelete, IDictionary<string, object?>? arguments)
    {
        if (!s_queues.TryGetValue(queue, out var there))
            s_queues.Add(queue, there = new BrokerQueue(queue, owner, isDurable, autoDelete, arguments ?? new Dictionary<string, object?>()));
        return there;
    }

    public static BrokerQueue? FindQueue(string name) => s_queues.GetValueOrDefault(name);

    public static void Bind(string target, bool isQueue, string exchange, string key, IDictionary<string, object?>? arguments)
    {
        var bindings = s_exchanges[exchange].Bindings;
        if (!bindings.Exists(binding => binding.Target == target && binding.Key == key && Equal(binding.Arguments, arguments)))
            bindings.Add(new BrokerBinding(target, isQueue, key, arguments));

        static bool Equal(IDictionary<string, object?>? first, IDictionary<string, object?>? second) =>
            (first?.Count ?? 0) == (second?.Count ?? 0) && (first is null || second is null || first.All(pair => second.TryGetValue(pair.Key, out var value) && Equals(value, pair.Value)));
    }

    /// <summary>Whether an exchange leads the messages with a key to a queue or to another exchange.</summary>
    public static bool IsBound(string key) => s_exchanges.Values.Any(exchange => exchange.Bindings.Exists(binding => binding.Key == key));

    public static int Delete(BrokerQueue queue)
    {
        var count = queue.ReadyCount;
        s_queues.Remove(queue.Name);
        foreach (var exchange in s_exchanges.Values)
            exchange.Bindings.RemoveAll(binding => binding.IsQueue && binding.Target == queue.Name);
        queue.Delete();
        return count;
    }

    /// <summary>Returns the queues of a message.</summary>
    public static List<BrokerQueue> FindAll(BrokerMessage message)
    {
        var targets = new HashSet<BrokerQueue>();
        Collect(message.Exchange, message, targets);
        return [.. targets];
    }

    /// <summary>Adds a message to all queues that its exchange leads to.</summary>
    /// <returns>Whether a queue took it, and whether a queue refused it.</returns>
    public static (bool IsRouted, bool IsRefused) Route(BrokerMessage message)
    {
        var targets = FindAll(message);
        var isRefused = false;
        foreach (var queue in targets)
        {
            if (queue.IsFull)
                isRefused = true;
            else
                queue.Add(message);
        }

        return (targets.Count > 0, isRefused);
    }

    /// <summary>Finds the queues of a message. One queue may be found in several ways.</summary>
    /// <returns>Whether the exchange leads the message to a queue.</returns>
    private static bool Collect(string exchange, BrokerMessage message, HashSet<BrokerQueue> targets)
    {
        if (exchange.Length == 0)
        {
            if (!s_queues.TryGetValue(message.Key, out var direct))
                return false;
            targets.Add(direct);
            return true;
        }

        if (!s_exchanges.TryGetValue(exchange, out var found))
            return false;
        var isFound = false;
        foreach (var binding in found.Bindings.Where(binding => binding.Matches(found.Type, message)))
        {
            if (!binding.IsQueue)
            {
                isFound |= Collect(binding.Target, message, targets);
            }
            else if (s_queues.TryGetValue(binding.Target, out var queue))
            {
                targets.Add(queue);
                isFound = true;
            }
        }

        return isFound || (found.Alternate is { } alternate && Collect(alternate, message, targets));
    }
}

/// <summary>An exchange.</summary>
/// <param name="Type">The type: topic, direct, fanout or headers.</param>
/// <param name="Alternate">The exchange for messages without a queue.</param>
internal sealed record BrokerExchange(string Type, string? Alternate)
{
    public List<BrokerBinding> Bindings { get; } = [];
}

/// <summary>Leads messages of an exchange to a queue or to another exchange.</summary>
internal sealed record BrokerBinding(string Target, bool IsQueue, string Key, IDictionary<string, object?>? Arguments)
{
    public bool Matches(string type, BrokerMessage message) => type switch
    {
        "direct" => message.Key == Key,
        "topic" => MatchesTopic(Key.Split('.'), message.Key.Split('.')),
        "headers" => Arguments!.Where(static pair => !pair.Key.StartsWith("x-", StringComparison.Ordinal)).All(pair =>
            message.Properties.Headers is { } headers && headers.TryGetValue(pair.Key, out var value) && value is byte[] text && System.Text.Encoding.UTF8.GetString(text) == (string?)pair.Value),
        _ => true,
    };

    private static bool MatchesTopic(ReadOnlySpan<string> pattern, ReadOnlySpan<string> words)
    {
        if (pattern.IsEmpty)
            return words.IsEmpty;
        if (pattern[0] == "#")
            return MatchesTopic(pattern[1..], words) || (!words.IsEmpty && MatchesTopic(pattern, words[1..]));
        return !words.IsEmpty && (pattern[0] == "*" || pattern[0] == words[0]) && MatchesTopic(pattern[1..], words[1..]);
    }
}
