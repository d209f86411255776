namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Reads the limits of the size of a message from the subsection <c>MessageLimits</c>.</summary>
internal static class MessageLimitsReader
{
    public static MessageLimits Read(SettingsSection section)
    {
        var defaults = MessageLimits.Default;
        return new MessageLimits
        {
            MaxMessageSize = section.ReadInt(nameof(defaults.MaxMessageSize), defaults.MaxMessageSize, static value => new MessageLimits { MaxMessageSize = value }),
            MaxDecompressedSize = section.ReadInt(nameof(defaults.MaxDecompressedSize), defaults.MaxDecompressedSize, static value => new MessageLimits { MaxDecompressedSize = value }),
        };
    }
}
