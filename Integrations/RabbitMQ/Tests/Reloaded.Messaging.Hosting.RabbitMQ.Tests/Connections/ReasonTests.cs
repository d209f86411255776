using System;
using System.IO;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class ReasonTests
{
    [Fact]
    public void Of_an_unreachable_broker_is_what_each_endpoint_said_once()
    {
        var failure = new BrokerUnreachableException(new AggregateException(
            new BrokerUnreachableException(new IOException("Connection failed", new InvalidOperationException("refused"))),
            new BrokerUnreachableException(new IOException("Connection failed", new InvalidOperationException("refused"))),
            new BrokerUnreachableException(new TimeoutException("late"))));

        Assert.Equal("Connection failed: refused; late", Reason.Of(failure));
    }
}
