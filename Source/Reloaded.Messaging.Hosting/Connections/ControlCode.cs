namespace Reloaded.Messaging.Hosting;

/// <summary>The opcodes of control messages. See docs/wire-format.md.</summary>
internal static class ControlCode
{
    public const uint Hello = 0;
    public const uint Ping = 1;
    public const uint Pong = 2;
    public const uint Goodbye = 3;
    public const uint Cancel = 4;
}
