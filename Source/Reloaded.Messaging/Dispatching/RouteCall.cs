using System;

namespace Reloaded.Messaging;

/// <summary>Handles a whole message, and counts it if no handler did.</summary>
internal delegate DispatchStatus RouteCall<T>(ReadOnlySpan<byte> message, ref T state);
