using Reloaded.Messaging;

namespace ModLoader.Messaging;

/// <summary>The acknowledgement: it is done.</summary>
[Message(7)]
public sealed record ModStateSet(ModState Before, ModState Now);
