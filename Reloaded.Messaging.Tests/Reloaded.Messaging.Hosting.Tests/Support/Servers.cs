using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Servers on listeners of a test's own.</summary>
internal static class Servers
{
    public static MessageServer Make(TransportListener listener, MessageHostOptions options, TransportContext? context = null) =>
        new(listener.Endpoint, listener, context ?? options.MakeTransportContext(), options);
}
