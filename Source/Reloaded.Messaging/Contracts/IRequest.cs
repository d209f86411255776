using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging;

/// <summary>Marks a message as a request whose reply has no content: the remote handler only confirms that it has completed.</summary>
/// <example><code>
/// [Message(4)] public readonly partial record struct Suspend(int Mod) : IRequest;
///
/// await game.RequestAsync(new Suspend(3));
/// </code></example>
[SuppressMessage("Design", "CA1040:Avoid empty interfaces", Justification = "The compiler reads it, to choose an overload.")]
public interface IRequest;

/// <summary>Marks a message as a request and names its reply, so that a call does not repeat both types.</summary>
/// <typeparam name="TReply">The reply.</typeparam>
/// <example><code>
/// [Message(5)] public sealed partial record ListMods(bool LoadedOnly) : IRequest&lt;ModList&gt;;
///
/// ModList list = await game.RequestAsync(new ListMods(true));
/// </code></example>
[SuppressMessage("Design", "CA1040:Avoid empty interfaces", Justification = "The compiler reads its argument, to infer the reply.")]
public interface IRequest<TReply>;
