namespace Reloaded.Messaging.Tests.Samples;

/// <summary>The form of the length before each message.</summary>
public enum LengthPrefix
{
    UInt16LittleEndian = 0,
    UInt16BigEndian,
    UInt32LittleEndian,
    UInt32BigEndian,
}
