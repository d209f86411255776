using System;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Reporting;

/// <summary>Failures without a subscriber of HandlerFailed. They are written to the standard error of the process, so nothing else may run.</summary>
[Quiet]
public sealed class UnheardFailureTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void First_failure_without_a_subscriber_is_written_to_the_standard_error(bool isSubscribed)
    {
        var reports = new HostReports();
        if (isSubscribed)
            reports.Failures.Failed += _ => { };
        var written = new StandardError();
        using (written)
        {
            reports.ReportFailure(new Origin("lobby-1", "results", 1, false, 1), 7, new InvalidOperationException("failure 1"));
            reports.ReportFailure(new Origin("lobby-1", "results", 2, false, 1), 7, new InvalidOperationException("failure 2"));
        }

        var text = written.ToString();
        Assert.Equal(2, reports.Failures.Count);
        Assert.Equal(!isSubscribed, text.Contains("threw System.InvalidOperationException: failure 1 (message: 7, sender: lobby-1, topic: results). RabbitHost.HandlerFailed has no subscriber.", StringComparison.Ordinal));
        Assert.DoesNotContain("failure 2", text, StringComparison.Ordinal);
    }
}
