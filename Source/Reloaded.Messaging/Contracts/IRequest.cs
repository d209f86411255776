using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging;

/// <summary>Marks a message as a request whose reply has no content: the remote handler only confirms that it has completed.</summary>
/// <example><code>
/// await using var game = await MessageHost.ConnectAsync(MessageEndpoint.Local("game"));
/// await game.RequestAsync(new Suspend(3));
///
/// [Message(4)] public readonly record struct Suspend(int Mod) : IRequest;
/// </code></example>
[SuppressMessage("Design", "CA1040:Avoid empty interfaces", Justification = "The compiler reads it, to choose an overload.")]
public interface IRequest;

/// <summary>Marks a message as a request and names its reply, so that a call does not repeat both types.</summary>
/// <typeparam name="TReply">The reply.</typeparam>
/// <example><code>
/// await using var game = await MessageHost.ConnectAsync(MessageEndpoint.Local("game"));
/// ModList list = await game.RequestAsync(new ListMods(true));
///
/// [Message(5)] public sealed record ListMods(bool LoadedOnly) : IRequest&lt;ModList&gt;;
/// [Message(6)] public sealed record ModList(List&lt;string&gt; Names);
/// </code></example>
[SuppressMessage("Design", "CA1040:Avoid empty interfaces", Justification = "The compiler reads its argument, to infer the reply.")]
public interface IRequest<TReply>;

/// <summary>Marks a message as a request whose reply is a stream, and names the items, so that a call does not repeat both types.</summary>
/// <typeparam name="TItem">The items of the stream.</typeparam>
/// <example><code>
/// await using var game = await MessageHost.ConnectAsync(MessageEndpoint.Local("game"));
/// await foreach (LogLine line in game.StreamAsync(new ReadLog(0)))
///     Console.WriteLine(line.Text);
///
/// [Message(7)] public sealed record ReadLog(int Since) : IStreamRequest&lt;LogLine&gt;;
/// [Message(8)] public sealed record LogLine(string Text);
/// </code></example>
[SuppressMessage("Design", "CA1040:Avoid empty interfaces", Justification = "The compiler reads its argument, to infer the items.")]
public interface IStreamRequest<TItem>;
