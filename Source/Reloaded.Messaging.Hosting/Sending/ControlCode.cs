namespace Reloaded.Messaging.Hosting;

/// <summary>The opcodes of control messages, and how these messages are sent. See docs/specification/wire-format.md.</summary>
internal static class ControlCode
{
    public const uint Hello = 0;
    public const uint Ping = 1;
    public const uint Pong = 2;
    public const uint Goodbye = 3;
    public const uint Cancel = 4;

    /// <summary>The size of the payload of a ping: its number.</summary>
    public const int PingSize = sizeof(long);

    /// <summary>The size of the payload of a ping that asks whether an announcement of contracts was read: the number of the ping, and that of the announcement.</summary>
    public const int QuerySize = PingSize + sizeof(int);

    /// <summary>Returns the delivery of a control message. No message overtakes a hello, and a cancellation does not overtake its request. The question whether a hello was read, and the answer, keep their order.</summary>
    /// <param name="opcode">The opcode.</param>
    /// <param name="size">The size of the payload, in bytes.</param>
    public static Delivery DeliveryOf(uint opcode, int size) => opcode switch
    {
        Hello or Goodbye => Delivery.Reliable,
        Cancel => Delivery.ReliableOrdered,
        _ => size > PingSize ? Delivery.ReliableOrdered : Delivery.Unreliable,
    };
}
