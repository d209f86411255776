namespace Reloaded.Messaging.Tests.Mono.Figures;

/// <summary>A message that is sent as its memory.</summary>
[Message]
internal readonly record struct Step(int Number, float X, float Y);

/// <summary>A message whose object and list are reused.</summary>
[Message(Pooled = true)]
internal sealed class Notice
{
    public int Number { get; set; }

    public List<int> Values { get; set; } = [];
}

/// <summary>A request.</summary>
[Message]
internal readonly record struct Add(int First, int Second);

/// <summary>The reply of <see cref="Add"/>.</summary>
[Message]
internal readonly record struct Sum(int Value);
