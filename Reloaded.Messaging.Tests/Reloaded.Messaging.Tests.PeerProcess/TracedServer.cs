using System.Diagnostics;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.PeerProcess;

/// <summary>A server that answers a question with the span of its handler.</summary>
public static class TracedServer
{
    public const string Verb = "traced-server";

    /// <summary>Runs until the input ends.</summary>
    public static async Task RunAsync(string name)
    {
        using var listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == MessagingTracing.SourceName,
            Sample = static (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
        };
        ActivitySource.AddActivityListener(listener);
        await using var server = await MessageHost.ListenAsync(
            MessageEndpoint.OfProcess(Environment.ProcessId, name),
            static server => server.OnRequest(MessageContract.GetDeclared<Question>(), SpanIds.Contract, static (in Question _, Peer _) =>
            {
                var span = Activity.Current!;
                return new SpanIds(span.TraceId.ToString(), span.SpanId.ToString(), span.ParentSpanId.ToString(), span.TraceStateString ?? "");
            }),
            new MessageHostOptions { CarriesTraceContext = true });
        Console.WriteLine("ready");
        await Console.In.ReadToEndAsync();
    }
}
