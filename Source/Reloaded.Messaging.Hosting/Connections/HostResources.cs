using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>What all connections of a host share. Thread-safe.</summary>
internal sealed class HostResources
{
    private volatile bool _handlesSecrets;

    public HostResources(MessageHostOptions options, LengthPrefix prefix)
    {
        Options = options;
        Prefix = prefix;
        Limits = PrefixedFrame.Limit(options.MessageLimits, prefix);
        Writer = new MessageWriter(Limits);
        PendingTotal = new PendingTotal(options.Limits.MaxTotalPendingBytes);
    }

    public MessageHostOptions Options { get; }

    /// <summary>The length in front of each message.</summary>
    public LengthPrefix Prefix { get; }

    /// <summary>Whether the remote sides are no hosts of this library, and have no correlation ids.</summary>
    public bool IsPlain => Prefix != LengthPrefix.UVarint;

    /// <summary>The limits of a message. The length prefix may allow less than the options.</summary>
    public MessageLimits Limits { get; }

    public MessageWriter Writer { get; }

    /// <summary>The memory of all outboxes.</summary>
    public PendingTotal PendingTotal { get; }

    /// <summary>The time that counts as silence of a remote side.</summary>
    public ResponsiveClock Clock { get; } = new();

    public HostCounters Counters { get; } = new();

    /// <summary>Whether a message of a secret contract may have been received.</summary>
    public bool HandlesSecrets => _handlesSecrets;

    /// <summary>Has received bytes zeroed from now on, if the contract is secret.</summary>
    public void NoteSecret(MessageContract contract)
    {
        if (contract.IsSecret)
            _handlesSecrets = true;
    }
}
