namespace Reloaded.Messaging.Tests;

[Message(5)]
public sealed record Move(int X, int Y, string Name = "none");

[Message(6)]
public sealed record GetMods(string Filter);

[Message(7)]
public sealed record ModList(List<string> Names, TimeSpan Age);

[Message(8, Compressor = typeof(BrotliCompressor), CompressionThreshold = 16)]
public sealed record Log(string Text);
