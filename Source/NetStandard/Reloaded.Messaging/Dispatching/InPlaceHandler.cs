namespace Reloaded.Messaging;

/// <summary>This target runs on Mono and Unity, where a delegate must be called by its own type: every handler gets a copy of the message.</summary>
internal static class InPlaceHandler
{
    public static DirectCall<T>? TryView<TMessage, T>(MessageHandler<TMessage, T> handler) => null;
}
