using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging;

/// <summary>Handles messages as they came: nothing is decompressed or deserialized.</summary>
/// <typeparam name="TState">The dispatcher's state.</typeparam>
/// <param name="header">The header; says whether the payload is compressed.</param>
/// <param name="payload">The payload, in the caller's memory: valid during the call.</param>
/// <param name="state">What the caller of <see cref="MessageDispatcher{T}.Dispatch"/> passed, by reference.</param>
public delegate void RawMessageHandler<TState>(in MessageHeader header, ReadOnlySpan<byte> payload, ref TState state);
