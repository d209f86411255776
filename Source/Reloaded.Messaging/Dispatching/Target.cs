using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A registered handler.</summary>
internal abstract class Target<T>(MessageDispatcher<T> dispatcher, uint type, MessageContract? contract)
{
    private readonly MessageHeader _header = new(type);
    private Route<T>? _route;

    public uint Type { get; } = type;

    public MessageContract? Contract { get; } = contract;

    /// <summary>A description of the registration, for exception messages.</summary>
    public string Description => Contract?.ToString() ?? "a raw handler";

    /// <summary>The calls for the plain short messages of the type.</summary>
    public Route<T> Route => _route ??= CreateRoute();

    protected MessageDispatcher<T> Dispatcher { get; } = dispatcher;

    /// <summary>Handles a payload.</summary>
    public abstract DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state);

    public virtual ValueTask<DispatchStatus> HandleAsync(in MessageHeader header, ReadOnlySpan<byte> payload, T state, CancellationToken cancellationToken) =>
        new(Handle(in header, payload, ref state));

    protected virtual Route<T> CreateRoute() => new(InvokeAndCount);

    /// <summary>Handles a plain short message, and counts it if no handler did.</summary>
    protected DispatchStatus InvokeAndCount(ReadOnlySpan<byte> message, ref T state)
    {
        var status = Handle(in _header, message.Slice(1), ref state);
        return status == DispatchStatus.Handled ? status : Dispatcher.Count(status);
    }
}
