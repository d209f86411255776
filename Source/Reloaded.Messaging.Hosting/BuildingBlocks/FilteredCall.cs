using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>The state of one call, without its types.</summary>
internal abstract class FilteredCall(MessageContract contract, Func<HandlerCall, ValueTask>[] filters, bool isRequest)
{
    public MessageContract Contract => contract;

    public bool IsRequest => isRequest;

    /// <summary>The number of calls that have ended. A <see cref="HandlerCall"/> of an earlier call is not valid.</summary>
    public int Generation { get; protected set; }

    public CancellationToken Canceled;

    public abstract IStrongBox Message { get; }

    public abstract IStrongBox From { get; }

    public static bool TryGet<T>(IStrongBox box, [MaybeNullWhen(false)] out T value)
    {
        value = box is StrongBox<T> typed ? typed.Value : default;
        return box is StrongBox<T>;
    }

    public ValueTask NextAsync(int next) => next < filters.Length ? filters[next](new HandlerCall(this, next + 1)) : CallHandlerAsync();

    protected abstract ValueTask CallHandlerAsync();
}

/// <inheritdoc/>
internal sealed class FilteredCall<TMessage, TFrom, TReply>(
    MessageContract contract,
    Func<HandlerCall, ValueTask>[] filters,
    bool isRequest,
    Func<FilteredCall<TMessage, TFrom, TReply>, ValueTask> handle)
    : FilteredCall(contract, filters, isRequest)
{
    private TReply? _reply;
    private bool _isReplied;
    private int _running;

    /// <summary>Whether no handler runs. A filter may have ended without awaiting its handler.</summary>
    public bool IsIdle => Volatile.Read(ref _running) == 0;

    public readonly StrongBox<TMessage> MessageBox = new(default!);

    public readonly StrongBox<TFrom> FromBox = new(default!);

    public override IStrongBox Message => MessageBox;

    public override IStrongBox From => FromBox;

    public ValueTask SetReply(TReply reply)
    {
        Drop();
        (_reply, _isReplied) = (reply, true);
        return default;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask SetReplyAsync(ValueTask<TReply> reply) => await SetReply(await reply.ConfigureAwait(false)).ConfigureAwait(false);

    /// <summary>Returns the reply of the handler, which the caller sends.</summary>
    /// <exception cref="InvalidOperationException">Thrown when a filter of a request has not called the handler.</exception>
    public TReply TakeReply()
    {
        if (!_isReplied && IsRequest)
            throw new InvalidOperationException($"A filter of {Contract.MessageType.Name} returned without a call of NextAsync, so the request has no reply. Throw a RequestFaultException to refuse it.");
        _isReplied = false;
        return _reply!;
    }

    /// <summary>Ends the call, so that the object can be used again. The values are not kept alive.</summary>
    public void End()
    {
        Drop();
        Generation++;
        (MessageBox.Value, FromBox.Value, _reply, _isReplied, Canceled) = (default!, default!, default, false, default);
    }

    /// <summary>Closes what a reply opens that is not sent: a filter called the handler again, or failed after it.</summary>
    private void Drop()
    {
        if (_isReplied)
            (_reply as IOpeningReply)?.Close(FromBox.Value);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    protected override async ValueTask CallHandlerAsync()
    {
        Interlocked.Increment(ref _running);
        try
        {
            await handle(this).ConfigureAwait(false);
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }
}
