namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>What takes the most memory for its bytes.</summary>
[Message]
public sealed class Heavy
{
    public List<Dictionary<byte, byte>>? Maps { get; set; }
    public List<List<int>>? Lists { get; set; }
    public string[]? Texts { get; set; }
    public byte[][]? Arrays { get; set; }
    public Wide?[]? Wides { get; set; }
    public WideMessage[]? Messages { get; set; }
    public WideMessage?[]? Maybes { get; set; }
    public List<Heavy?>? Inner { get; set; }
    public Dictionary<int, byte>? Numbers { get; set; }
}

/// <summary>A struct, 72 bytes where it may be null.</summary>
public record struct Wide(long A, long B, long C, long D, long E, long F, long G, long H);

/// <summary>A struct of 160 bytes with a length of its own: one byte of payload promises one.</summary>
[Message]
public record struct WideMessage(decimal A, decimal B, decimal C, decimal D, decimal E, decimal F, decimal G, decimal H, decimal I, decimal J);
