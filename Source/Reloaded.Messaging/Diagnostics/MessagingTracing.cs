namespace Reloaded.Messaging;

/// <summary>The spans of the library. Read them with OpenTelemetry (<c>AddSource(MessagingTracing.SourceName)</c>) or an <c>ActivityListener</c>.</summary>
/// <remarks>Without a listener, a message costs a few loads and one branch, and allocates nothing. The netstandard2.1 build creates no spans.</remarks>
public static class MessagingTracing
{
    /// <summary>The name of the <c>ActivitySource</c>.</summary>
    public const string SourceName = "Reloaded.Messaging";
}
