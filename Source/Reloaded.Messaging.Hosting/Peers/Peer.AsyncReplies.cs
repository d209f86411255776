using System;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <content>Requests that are answered later, and may be taken back until then.</content>
public sealed partial class Peer
{
    private readonly InFlightRequests _answering;

    /// <summary>The other side no longer waits for the reply.</summary>
    internal void CancelAnswer(uint correlationId) => _answering.Cancel(correlationId);

    /// <summary>A request of its waits for the pump. It may be taken back before it is handled.</summary>
    internal void NoteEnqueued(uint correlationId) => _answering.Enqueue(correlationId);

    internal void NotePumped(uint correlationId) => _answering.NotePumped(correlationId);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    internal async ValueTask ReplyLaterAsync<TRequest, TReply>(
        MessageContract<TReply> contract,
        AsyncRequestHandler<TRequest, TReply> handler,
        TRequest request,
        uint requestType,
        uint correlationId)
    {
        var answer = _answering.Begin(correlationId);
        try
        {
            var reply = await handler(request, this, answer.Token).ConfigureAwait(false);
            Reply(contract, in reply, requestType, correlationId);
        }
        catch (OperationCanceledException) when (answer.IsCancellationRequested)
        {
            SendFault(requestType, correlationId, FaultCode.Canceled, "The request was canceled.");
        }
        finally
        {
            _answering.End(answer);
        }
    }
}
