namespace Reloaded.Messaging.Tests.PeerProcess.Languages;

/// <summary>An event that the server sends back, as often as it says.</summary>
[Message(30)]
public sealed record Shout(string Text, int Times = 1);

/// <summary>A request for the sum of numbers.</summary>
[Message(31)]
public sealed record Sum(List<long> Numbers) : IRequest<Total>;

/// <summary>The sum, the mean if there is one, and when it was computed.</summary>
[Message(32)]
public sealed record Total(long Value, decimal? Mean, DateTimeOffset At);

/// <summary>A request that the server answers with the answer to a <see cref="Question"/> that it asks the client.</summary>
[Message(33)]
public readonly record struct AskBack(int Number);

/// <summary>A request that fails: with the code, or by an exception of the handler if the code is 0.</summary>
[Message(34)]
public sealed record Fail(int Code, string Text);

/// <summary>A request for a text, repeated.</summary>
[Message(35)]
public sealed record Repeat(string Text, int Count);

/// <summary>The reply to <see cref="Repeat"/>, compressed.</summary>
[Message(36, Compressor = typeof(BrotliCompressor))]
public sealed record Lines(List<string> Text);

/// <summary>An event after which the server disconnects the client.</summary>
[Message(37)]
public sealed record Leave(string Reason);

/// <summary>A request that is never answered.</summary>
[Message(38)]
public readonly record struct Wait;

/// <summary>A request for a stream of numbers from 0 up. It fails after the last one if <paramref name="Fails"/> is set.</summary>
[Message(40)]
public sealed record Count(int To, bool Fails = false) : IStreamRequest<Counted>;

/// <summary>An item of the stream, compressed.</summary>
[Message(41, Compressor = typeof(BrotliCompressor))]
public sealed record Counted(int Number, string Text);

/// <summary>A request that the server answers after it has read a stream of the client: the sum of the first numbers.</summary>
[Message(42)]
public readonly record struct CountBack(int To, int Leaves);

/// <summary>The reply to <see cref="Lines"/>: the number of characters.</summary>
[Message(43)]
public readonly record struct Measured(int Characters);

/// <summary>A request that makes the server receive a file of the client. The server has the first bytes already.</summary>
[Message(44)]
public sealed record FetchFile(string Name, int Has);

/// <summary>A request that makes the server send a file to the client.</summary>
[Message(45)]
public sealed record PushFile(string Name, int Length);

/// <summary>A request with items, for a hash of the first items and their number. It fails after them with the code <paramref name="Fault"/>, unless that is 0.</summary>
/// <param name="Leaves">The number of items after which the loop is left; 0 to read all items.</param>
/// <param name="Fault">The code.</param>
[Message(46)]
public sealed record Collect(int Leaves, int Fault = 0) : IRequest<Answer>;

/// <summary>A request that makes the server send <see cref="Collect"/> with the items of a <see cref="Count"/> to the client, and that has the same answer.</summary>
[Message(47)]
public sealed record CollectBack(int To, bool Fails, int Leaves);

/// <summary>A request with items in both directions: each item is sent back, with its number multiplied.</summary>
[Message(48)]
public sealed record Converse(int Factor) : IStreamRequest<Counted>;

/// <summary>A request that makes the server send <see cref="Converse"/> with the items of a <see cref="Count"/> to the client. The answer has the hash and the number of the items that came back.</summary>
[Message(49)]
public sealed record ConverseBack(int To, int Factor, int Leaves);

/// <summary>An event after the loop over the items of a request: <c>end</c>, <c>left</c>, <c>canceled</c>, or <c>fault</c> and the code.</summary>
[Message(39)]
public sealed record LoopEnded(string How);

/// <summary>A request during which its handler reports each step.</summary>
[Message(26)]
public sealed record Work(int Steps) : IRequest<Answer>;

/// <summary>A report of <see cref="Work"/>.</summary>
[Message(27)]
public readonly record struct Step(int Number);

/// <summary>A request that makes the server send <see cref="Work"/> to the client. The answer has the last step that was reported, and the number of reports; -1 if they were not in order.</summary>
[Message(28)]
public sealed record WorkBack(int Steps);
