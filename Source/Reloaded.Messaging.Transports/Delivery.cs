namespace Reloaded.Messaging;

/// <summary>How frames have to be delivered. A hint from the connection to a channel that can deliver in more than one way.</summary>
public enum Delivery
{
    /// <summary>Each frame may be lost or overtaken. A channel may deliver it better than that.</summary>
    Unreliable = 0,

    /// <summary>The frames have to arrive, in order, before any frame that is sent after them: a connection begins and ends with such frames.</summary>
    Reliable,
}
