using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Handles messages as they were received, without decompressing or deserializing them.</summary>
/// <typeparam name="TState">The type of the dispatcher's state.</typeparam>
/// <param name="header">The header, which says whether the payload is compressed.</param>
/// <param name="payload">The payload, in the memory of the caller. Valid during the call.</param>
/// <param name="state">The state that was passed to <see cref="MessageDispatcher{T}.Dispatch"/>, by reference.</param>
public delegate void RawMessageHandler<TState>(in MessageHeader header, ReadOnlySpan<byte> payload, ref TState state);
