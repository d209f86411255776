namespace Reloaded.Messaging.Benchmarks.SharedMemory;

/// <summary>36 bytes that go one way, or there and back.</summary>
[Message(50)]
public readonly record struct Note(int Number, int B, int C, int D, int E, int F, int G, int H, int I);

/// <summary>The same, as a request and its reply.</summary>
[Message(51)]
public readonly record struct NoteRequest(int Number, int B, int C, int D, int E, int F, int G, int H, int I);

/// <summary>A note that is only counted.</summary>
[Message(52)]
public readonly record struct CountedNote(int Number, int B, int C, int D, int E, int F, int G, int H, int I);
