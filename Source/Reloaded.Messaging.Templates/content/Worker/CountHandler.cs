using Reloaded.Messaging;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Hosting;

namespace ReloadedWorker;

/// <summary>Adds to the counter.</summary>
[Message(1)]
public sealed record Count(int Number) : IRequest<Counted>;

/// <summary>The sum of all numbers.</summary>
[Message(2)]
public sealed record Counted(long Sum);

/// <summary>The sum. Thread-safe.</summary>
public sealed class Counter
{
    private long _sum;

    public long Add(int number) => Interlocked.Add(ref _sum, number);
}

/// <summary>Each request has an instance of its own, with a scope of services. The counter is a singleton.</summary>
public sealed class CountHandler(Counter counter) : IRequestHandler<Count, Counted>
{
    public ValueTask<Counted> HandleAsync(Count request, Peer from, CancellationToken cancellationToken) => request.Number >= 0
        ? new(new Counted(counter.Add(request.Number)))
        : throw new RequestFaultException(1000, $"The number is {request.Number}, and must not be negative.");
}
