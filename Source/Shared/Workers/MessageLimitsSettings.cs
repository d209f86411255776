namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>The settings of the subsection <c>MessageLimits</c>.</summary>
internal static class MessageLimitsSettings
{
    public static SettingsTable<MessageLimits> Table { get; } = new SettingsTable<MessageLimits>()
        .Int(nameof(MessageLimits.MaxMessageSize), static (limits, value) => new MessageLimits { MaxMessageSize = value, MaxDecompressedSize = limits.MaxDecompressedSize })
        .Int(nameof(MessageLimits.MaxDecompressedSize), static (limits, value) => new MessageLimits { MaxMessageSize = limits.MaxMessageSize, MaxDecompressedSize = value });
}
