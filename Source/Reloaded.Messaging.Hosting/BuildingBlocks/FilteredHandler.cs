using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>A handler with the filters around it. The object of a call is used again, so a call that completes synchronously allocates nothing.</summary>
/// <param name="contract">The contract of the message.</param>
/// <param name="filters">The filters, the outermost first.</param>
/// <param name="isRequest">Whether the handler replies.</param>
/// <param name="handle">Calls the handler.</param>
internal sealed class FilteredHandler<TMessage, TFrom, TReply>(
    MessageContract contract,
    Func<HandlerCall, ValueTask>[] filters,
    bool isRequest,
    Func<FilteredCall<TMessage, TFrom, TReply>, ValueTask> handle)
{
    private const int MaxSpare = 64;

    private readonly ConcurrentQueue<FilteredCall<TMessage, TFrom, TReply>> _spare = [];

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    public async ValueTask HandleAsync(TMessage message, TFrom from, CancellationToken cancellationToken) =>
        await ReplyAsync(message, from, cancellationToken).ConfigureAwait(false);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public async ValueTask<TReply> ReplyAsync(TMessage message, TFrom from, CancellationToken cancellationToken)
    {
        if (!_spare.TryDequeue(out var call))
            call = new FilteredCall<TMessage, TFrom, TReply>(contract, filters, isRequest, handle);
        (call.MessageBox.Value, call.FromBox.Value, call.Canceled) = (message, from, cancellationToken);
        try
        {
            await call.NextAsync(0).ConfigureAwait(false);
            return call.TakeReply();
        }
        finally
        {
            call.End();
            if (call.IsIdle && _spare.Count < MaxSpare) // a handler that a filter did not await would set the reply of another request
                _spare.Enqueue(call);
        }
    }
}
