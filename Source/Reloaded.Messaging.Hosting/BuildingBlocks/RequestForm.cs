using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>A handler of requests, and a method for each form of it, as in <see cref="EventForm{T, TFrom}"/>. A handler without a result replies with the default value.</summary>
internal sealed class RequestForm<TRequest, TReply, TFrom>
{
    private readonly object _handler;

    public RequestForm(object handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        _handler = handler;
    }

    public TReply Action1(in TRequest request, TFrom from)
    {
        Unsafe.As<Action<TRequest>>(_handler)(request);
        return default!;
    }

    public TReply Action2(in TRequest request, TFrom from)
    {
        Unsafe.As<Action<TRequest, TFrom>>(_handler)(request, from);
        return default!;
    }

    public TReply Reply1(in TRequest request, TFrom from) => Unsafe.As<Func<TRequest, TReply>>(_handler)(request);

    public TReply Reply2(in TRequest request, TFrom from) => Unsafe.As<Func<TRequest, TFrom, TReply>>(_handler)(request, from);

    public ValueTask<TReply> Task1(TRequest request, TFrom from, CancellationToken token) => new(Unsafe.As<Func<TRequest, Task<TReply>>>(_handler)(request));

    public ValueTask<TReply> Task2(TRequest request, TFrom from, CancellationToken token) => new(Unsafe.As<Func<TRequest, TFrom, Task<TReply>>>(_handler)(request, from));

    public ValueTask<TReply> Task3(TRequest request, TFrom from, CancellationToken token) => new(Unsafe.As<Func<TRequest, TFrom, CancellationToken, Task<TReply>>>(_handler)(request, from, token));

    public ValueTask<TReply> ValueTask1(TRequest request, TFrom from, CancellationToken token) => Unsafe.As<Func<TRequest, ValueTask<TReply>>>(_handler)(request);

    public ValueTask<TReply> ValueTask2(TRequest request, TFrom from, CancellationToken token) => Unsafe.As<Func<TRequest, TFrom, ValueTask<TReply>>>(_handler)(request, from);
}
