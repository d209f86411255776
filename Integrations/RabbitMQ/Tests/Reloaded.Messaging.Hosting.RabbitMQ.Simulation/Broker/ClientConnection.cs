using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Simulation;

/// <summary>A connection to the broker, with the members of <see cref="IConnection"/> that the library calls. Both directions keep their order and have a delay.</summary>
internal sealed class ClientConnection
{
    private readonly List<ClientChannel> _channels = [];
    private readonly Queue<Action> _unread = new();
    private readonly int _delay; // of one path, so that no connection of a process overtakes an earlier one
    private long _lastUp;
    private long _lastDown;
    private bool _isCut; // the broker takes nothing more from the connection
    private bool _isBlocked;
    private bool _isStopped;
    private bool _hasPublished;

    public ClientConnection(SimulatedProcess process, string name)
    {
        (Process, Name) = (process, name);
        _delay = process.BrokerDelay ??= World.Random.Next(3) switch { 0 => 100, 1 => 1_000, _ => 20_000 } * 10;
        Facade = InterfaceFacade.Of<IConnection>(this);
    }

    public event AsyncEventHandler<ShutdownEventArgs>? ConnectionShutdownAsync;

    public event AsyncEventHandler<ConnectionBlockedEventArgs>? ConnectionBlockedAsync;

    public event AsyncEventHandler<AsyncEventArgs>? ConnectionUnblockedAsync;

    public IConnection Facade { get; }

    public SimulatedProcess Process { get; }

    /// <summary>The name that the client gave to the connection.</summary>
    public string Name { get; }

    public ShutdownEventArgs? CloseReason { get; private set; }

    public bool IsOpen => CloseReason is null;

    /// <summary>The channels, also those that are closed.</summary>
    public IReadOnlyList<ClientChannel> Channels => _channels;

    public IDictionary<string, object?> ServerProperties { get; } = new Dictionary<string, object?> { ["version"] = Encoding.UTF8.GetBytes("4.1.0") };

    public Task<IChannel> CreateChannelAsync(CreateChannelOptions? options, CancellationToken cancellationToken)
    {
        ThrowIfClosed();
        var channel = new ClientChannel(this, options);
        _channels.Add(channel);
        return channel.CallAsync(() => channel.Facade, cancellationToken);
    }

    public async Task CloseAsync(ushort reasonCode, string reasonText, TimeSpan timeout, bool abort, CancellationToken cancellationToken)
    {
        if (!IsOpen)
            return;
        var closed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Up(() =>
        {
            Cut();
            Down(() =>
            {
                End(new ShutdownEventArgs(ShutdownInitiator.Application, reasonCode, reasonText));
                closed.TrySetResult();
            });
        });
        await Task.WhenAny(closed.Task, Task.Delay(timeout, World.Time, cancellationToken)).ConfigureAwait(false);
        Broker.Lose(this);
    }

    public ValueTask DisposeAsync() => default;

    /// <summary>Sends a command to the broker.</summary>
    public void Up(Action command)
    {
        _lastUp = Math.Max(_lastUp + 1, World.Now + _delay);
        World.After(_lastUp - World.Now, null, () =>
        {
            if (_isBlocked || _isStopped)
                _unread.Enqueue(command);
            else if (!_isCut)
                command();
        });
    }

    /// <summary>Sends an answer or a message to the client.</summary>
    public void Down(Action received)
    {
        _lastDown = Math.Max(_lastDown + 1, World.Now + _delay);
        World.After(_lastDown - World.Now, Process, () =>
        {
            if (IsOpen)
                received();
        });
    }

    public void ThrowIfClosed()
    {
        if (!IsOpen)
            throw new AlreadyClosedException(CloseReason!);
    }

    /// <summary>Records that the connection publishes. An alarm of the broker concerns only such connections.</summary>
    public void NotePublished()
    {
        _hasPublished = true;
        NoteAlarm();
    }

    public void NoteAlarm()
    {
        if (!_hasPublished || _isBlocked == Broker.IsAlarmed)
            return;
        _isBlocked = Broker.IsAlarmed;
        if (_isBlocked)
        {
            Down(() => ConnectionBlockedAsync?.Invoke(Facade, new ConnectionBlockedEventArgs("low on memory")));
            return;
        }

        Down(() => ConnectionUnblockedAsync?.Invoke(Facade, AsyncEventArgs.CreateOrDefault(default)));
        ReadAll();
    }

    /// <summary>Reads nothing more, because a channel has read too much while it waits for a queue.</summary>
    public void StopReading()
    {
        World.Note($"broker: reads no more from {Name} of {Process.Name}");
        _isStopped = true;
    }

    /// <summary>Reads again.</summary>
    public void ReadAgain()
    {
        _isStopped = false;
        ReadAll();
    }

    /// <summary>Loses the connection. What is on its way to the broker may arrive or not.</summary>
    public void Lose(string reason)
    {
        World.After(World.Random.Next(_delay + 1), null, Cut);
        World.After(World.Random.Next(_delay + 1), Process, () => End(new ShutdownEventArgs(ShutdownInitiator.Library, 0, reason)));
    }

    private void ReadAll()
    {
        while (!_isBlocked && !_isStopped && _unread.TryDequeue(out var command))
        {
            if (!_isCut)
                command();
        }
    }

    /// <summary>The broker forgets the connection, and returns its messages.</summary>
    private void Cut()
    {
        if (_isCut)
            return;
        _isCut = true;
        World.Note($"broker: forgets {Name} of {Process.Name}");
        Broker.Forget(this);
        foreach (var channel in _channels.ToArray())
            channel.Release();
        foreach (var queue in Broker.Queues.Where(queue => queue.Owner == this).ToArray())
            Broker.Delete(queue);
    }

    /// <summary>The client learns of the end: first the connection's listeners, and then those of each channel.</summary>
    private void End(ShutdownEventArgs reason)
    {
        if (!IsOpen)
            return;
        CloseReason = reason;
        ConnectionShutdownAsync?.Invoke(Facade, reason);
        foreach (var channel in _channels.ToArray())
            channel.End(reason);
    }
}
