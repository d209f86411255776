using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>A handler threw: what it was about.</summary>
/// <param name="Peer">Whose message it had.</param>
/// <param name="Type">The message's type.</param>
/// <param name="Exception">What it threw.</param>
public sealed record HandlerFailure(Peer Peer, uint Type, Exception Exception);
