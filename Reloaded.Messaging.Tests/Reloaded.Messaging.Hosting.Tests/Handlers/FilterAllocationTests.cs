using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Handlers;

/// <summary>The allocations of handlers with filters. Filters and handlers complete synchronously.</summary>
[Quiet]
public sealed class FilterAllocationTests
{
    private readonly MessageWriter _writer = new();
    private int _calls;

    [Theory]
    [InlineData(MessageKind.Event, false)]
    [InlineData(MessageKind.Event, true)]
    [InlineData(MessageKind.Request, false)]
    [InlineData(MessageKind.Request, true)]
    public void Message_with_filters_allocates_nothing(MessageKind kind, bool isAsync)
    {
        var table = new HandlerTable<string, Context>(MessageLimits.Default);
        table.AddFilter(static async call => await call.NextAsync(), null);
        table.AddFilter(Count, typeof(Guarded));
        var (contract, reply) = (MessageContract.GetDeclared<Guarded>(), MessageContract.GetDeclared<Pong>());
        _ = (kind, isAsync) switch
        {
            (MessageKind.Event, false) => table.On(contract, (in Guarded _, string _) => _calls++),
            (MessageKind.Event, true) => table.On(contract, (_, _, _) =>
            {
                _calls++;
                return default;
            }),
            (_, false) => table.OnRequest(contract, reply, (in Guarded message, string _) => new Pong(_calls += message.Number)),
            (_, true) => table.OnRequest(contract, reply, (message, _, _) => new ValueTask<Pong>(new Pong(_calls += message.Number))),
        };
        using var packed = _writer.Pack(contract, new Guarded(1), kind, kind == MessageKind.Request ? 1u : 0u);
        var context = new Context(kind);

        var allocated = Allocation.OfThousand(() =>
        {
            var outcome = HandlerInvoker.Start(table.Dispatcher, packed.Span, contract.Type, ref context, default, out var running);
            if (outcome != HandlerOutcome.Done || running is not null)
                throw new InvalidOperationException($"The outcome is {outcome}.");
        });

        Assert.Equal(0, allocated);
        Assert.True(_calls >= 2000, $"{_calls} calls were made by the filter and the handler.");

        ValueTask Count(HandlerCall call)
        {
            if (call.TryGetMessage(out Guarded message) && call.TryGetFrom(out string? _))
                _calls += message.Number;
            return call.NextAsync();
        }
    }

    private readonly struct Context(MessageKind kind) : IMessageContext<string>
    {
        public MessageKind Kind => kind;

        public string From => "sender";

        public bool IsStopping => false;

        public string? NameOf(uint type) => null;

        public void Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType)
        {
            // The reply is not sent.
        }

        public void SendFault(uint type, int code, string text) => throw new InvalidOperationException(text);

        public void ReportFailure(uint type, Exception exception) => throw new InvalidOperationException("The handler failed.", exception);

        public CancellationTokenSource? BeginRequest() => null;

        public void EndRequest(CancellationTokenSource request) => throw new InvalidOperationException("No request was begun.");
    }
}
