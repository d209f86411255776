using Reloaded.Messaging;

namespace ModLoader.Messaging;

/// <summary>The acknowledgement of <see cref="SetModState"/>.</summary>
[Message(7)]
public sealed record ModStateSet(ModState Before, ModState Now);
