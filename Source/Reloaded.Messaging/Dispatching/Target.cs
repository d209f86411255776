using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>A registered handler. As a route, it handles the plain short messages of its type; for other forms, the header is parsed before.</summary>
internal abstract class Target<T>(MessageDispatcher<T> dispatcher, uint type, MessageContract? contract) : Route<T>(dispatcher)
{
    private readonly MessageHeader _header = new(type);

    public uint Type { get; } = type;

    public MessageContract? Contract { get; } = contract;

    /// <summary>A description of the registration, for exception messages.</summary>
    public string Description => Contract?.ToString() ?? "a raw handler";

    /// <summary>Handles a payload.</summary>
    public abstract DispatchStatus Handle(in MessageHeader header, ReadOnlySpan<byte> payload, ref T state);

    public virtual ValueTask<DispatchStatus> HandleAsync(in MessageHeader header, ReadOnlySpan<byte> payload, T state, CancellationToken cancellationToken) =>
        new(Handle(in header, payload, ref state));

    public override DispatchStatus Invoke(ReadOnlySpan<byte> message, ref T state) => Handle(in _header, message.Slice(1), ref state);

    public override ValueTask<DispatchStatus> InvokeAsync(ReadOnlySpan<byte> message, T state, CancellationToken cancellationToken) =>
        HandleAsync(in _header, message.Slice(1), state, cancellationToken);
}
