namespace Reloaded.Messaging.Hosting;

/// <summary>Describes that messages wait and the program does not call <see cref="MessageHost.Pump"/>.</summary>
public readonly struct PumpStall
{
    internal PumpStall(int messages, TimeSpan waited) =>
        (Messages, Waited) = (messages, waited);

    /// <summary>The number of queued messages.</summary>
    public int Messages { get; }

    /// <summary>The time since the last call of <see cref="MessageHost.Pump"/>, or since messages began to wait.</summary>
    public TimeSpan Waited { get; }

    /// <summary>The number and the time in a sentence.</summary>
    public override string ToString() => FormattableString.Invariant($"{Messages} messages wait, and Pump was not called for {Waited.TotalSeconds:F1} s.");
}
