using System.IO;

namespace Reloaded.Messaging.Tests.Terminals;

/// <summary>Interrupts a command when it has written a number of texts or lines.</summary>
internal sealed class InterruptingWriter(CancellationTokenSource interrupted, int writes) : StringWriter
{
    private int _writes;

    /// <remarks>A line is written as a text and a line break.</remarks>
    public override void Write(string? value)
    {
        base.Write(value);
        if (value != NewLine && ++_writes == writes)
            interrupted.Cancel();
    }
}
