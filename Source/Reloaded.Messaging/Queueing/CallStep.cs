using System;
using Reloaded.Messaging.Dispatching;
using Reloaded.Messaging.Packing;

namespace Reloaded.Messaging.Queueing;

/// <summary>Calls a function, which says whether the message was handled; the pump's state is not used.</summary>
internal readonly struct CallStep<TSender>(Func<PackedMessage, TSender, bool> handle) : IPumpStep<TSender, int>
{
    public DispatchStatus Handle(PackedMessage message, TSender sender, ref int state) =>
        handle(message, sender) ? DispatchStatus.Handled : DispatchStatus.NoHandler;
}
