namespace Reloaded.Messaging.Benchmarks.Generated;

/// <summary>A line of a chat: three numbers and a text of 20 characters.</summary>
[Message(34)]
public sealed class TextLine
{
    public long From { get; set; }
    public int Channel { get; set; }
    public int Colour { get; set; }
    public string Text { get; set; } = "";
}
