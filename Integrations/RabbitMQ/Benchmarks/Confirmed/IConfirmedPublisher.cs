using System;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Benchmarks.Rabbit.Confirmed;

/// <summary>Publishes persistent messages, and waits until the broker has confirmed all of them.</summary>
public interface IConfirmedPublisher
{
    /// <summary>The maximum number of unconfirmed messages.</summary>
    const int Window = 1024;

    /// <summary>The number of messages that a publisher sends before it looks at the time.</summary>
    const int Block = 64;

    /// <summary>Publishes for a given time, until the broker has confirmed all messages. The messages of all calls are numbered from 1.</summary>
    /// <returns>The number of messages of this call.</returns>
    Task<long> PublishAsync(TimeSpan time);
}
