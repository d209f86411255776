namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>Five numbers and two strings: the same fields as ProtoStatus.</summary>
[Message(30)]
public sealed class ModStatus
{
    public int Id { get; set; }
    public long Size { get; set; }
    public double Progress { get; set; }
    public bool IsLoaded { get; set; }
    public uint Flags { get; set; }
    public string Name { get; set; } = "";
    public string Path { get; set; } = "";
}
