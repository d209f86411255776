using System;
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Contracts;
using Reloaded.Messaging.Hosting.Handlers;

namespace Reloaded.Messaging.Hosting.Peers;

/// <content>Requests that are answered later, and may be taken back until then.</content>
public sealed partial class Peer
{
    private readonly ConcurrentDictionary<uint, CancellationTokenSource> _answering = new();

    /// <summary>The other side no longer waits for the reply.</summary>
    internal void CancelAnswer(uint correlationId)
    {
        if (_answering.TryGetValue(correlationId, out var source))
            _ = CancelAsync(source); // on the pool: what the token's listeners do is not for the thread that receives
    }

    private async Task CancelAsync(CancellationTokenSource source)
    {
        try
        {
            await source.CancelAsync().ConfigureAwait(false);
        }
        catch (ObjectDisposedException)
        {
            return; // it was answered meanwhile
        }
        catch (Exception e)
        {
            _host.ReportFailure(this, 0, e);
        }
    }

    internal ValueTask ReplyLaterAsync<TRequest, TReply>(
        MessageContract<TReply> contract,
        AsyncRequestHandler<TRequest, TReply> handler,
        TRequest request,
        uint correlationId)
    {
        var canceled = CancellationTokenSource.CreateLinkedTokenSource(Ended);
        _answering[correlationId] = canceled;
        return FinishAsync();

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
        async ValueTask FinishAsync()
        {
            try
            {
                var reply = await handler(request, this, canceled.Token).ConfigureAwait(false);
                Reply(contract, in reply, correlationId);
            }
            catch (OperationCanceledException) when (canceled.IsCancellationRequested)
            {
                SendFault(contract.Type, correlationId, FaultCode.Canceled, "The request was canceled.");
            }
            finally
            {
                _answering.TryRemove(new(correlationId, canceled)); // and no other that came under the same id
                canceled.Dispose();
            }
        }
    }
}
