using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

public sealed class MessageDispatcherTests
{
    private readonly MessageDispatcher<Tally> _dispatcher = new();
    private Tally _tally;

    [Fact]
    public void A_delegate_gets_the_message_and_the_state_by_reference()
    {
        var contract = Given.Points(3);
        _dispatcher.Register(contract, static (in Point point, ref Tally tally) => tally.Add((point.X * 10) + point.Y));

        Assert.Equal(DispatchStatus.Handled, _dispatcher.Dispatch(Given.Packed(contract, new Point(4, 2)), ref _tally));
        Assert.Equal(DispatchStatus.Handled, _dispatcher.Dispatch(Given.Packed(contract, new Point(5, 1)), ref _tally));

        Assert.Equal((2, 93), (_tally.Calls, _tally.Sum));
    }

    [Fact]
    public void An_object_is_called_through_its_handler_interface()
    {
        var contract = Given.Points(3);
        _dispatcher.Register(contract, new SumOfPoints());

        Assert.Equal(DispatchStatus.Handled, _dispatcher.Dispatch(Given.Packed(contract, new Point(4, 2)), ref _tally));

        Assert.Equal((1, 6), (_tally.Calls, _tally.Sum));
    }

    [Fact]
    public void Handlers_of_a_declared_contract_need_not_name_it()
    {
        var contract = DeclaredMessage.Contract;
        var seen = new List<string>();
        var delegates = new MessageDispatcher<List<string>>();
        delegates.Register<DeclaredMessage>(static (in DeclaredMessage message, ref List<string> list) => list.Add($"delegate {message.Number}"));
        var objects = new MessageDispatcher<List<string>>();
        objects.Register(new DeclaredMessageHandler());
        var asynchronous = new MessageDispatcher<List<string>>();
        asynchronous.Register<DeclaredMessage>(static (message, list, _) =>
        {
            list.Add($"asynchronous {message.Number}");
            return default;
        });

        var bytes = Given.Packed(contract, new DeclaredMessage(7));
        delegates.Dispatch(bytes, ref seen);
        objects.Dispatch(bytes, ref seen);
        Assert.True(asynchronous.DispatchAsync(bytes, seen).AsTask().IsCompletedSuccessfully);

        Assert.Equal(["delegate 7", "object 7", "asynchronous 7"], seen);
    }

    [Fact]
    public void A_handler_of_an_undeclared_message_is_refused_by_the_messages_name()
    {
        var error = Assert.Throws<InvalidOperationException>(() => _dispatcher.Register<Guid>(static (in Guid _, ref Tally _) => { }));

        Assert.Contains("System.Guid", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_synchronous_handler_gets_the_state_of_an_asynchronous_dispatch_by_value()
    {
        var contract = Given.Points(3);
        var seen = 0L;
        _dispatcher.Register(contract, (in Point point, ref Tally tally) =>
        {
            tally.Add(point.X);
            seen = tally.Sum;
        });

        Assert.Equal(DispatchStatus.Handled, await _dispatcher.DispatchAsync(Given.Packed(contract, new Point(4, 2)), _tally));

        Assert.Equal(4, seen);
        Assert.Equal(0, _tally.Sum);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_raw_handler_gets_payloads_as_they_came(bool compressed)
    {
        var contract = Given.Text(3, compressed ? Given.Always : null);
        var bytes = Given.Packed(contract, "a text");
        var size = MessageHeaderSize(bytes);
        MessageHeader seen = default;
        byte[] payload = [];
        _dispatcher.RegisterRaw(3, (in MessageHeader header, ReadOnlySpan<byte> rest, ref Tally tally) =>
        {
            seen = header;
            payload = rest.ToArray();
            tally.Add(1);
        });

        Assert.Equal(DispatchStatus.Handled, _dispatcher.Dispatch(bytes, ref _tally));

        Assert.Equal(compressed ? new MessageHeader(3).Compressed(6) : new MessageHeader(3), seen);
        Assert.Equal(bytes[size..], payload);
        Assert.Equal(1, _tally.Calls);
    }

    [Fact]
    public void The_fallback_gets_what_has_no_handler_and_nothing_else()
    {
        var known = Given.Points(3);
        var types = new List<uint>();
        _dispatcher.Register(known, static (in Point _, ref Tally tally) => tally.Add(1));
        _dispatcher.RegisterFallback((in MessageHeader header, ReadOnlySpan<byte> payload, ref Tally tally) =>
        {
            types.Add(header.Type);
            tally.Add(payload.Length);
        });

        Assert.Equal(DispatchStatus.Handled, _dispatcher.Dispatch(Given.Packed(known, default), ref _tally));
        Assert.Equal(DispatchStatus.HandledByFallback, _dispatcher.Dispatch([4, 1, 2], ref _tally));
        Assert.Equal(DispatchStatus.HandledByFallback, _dispatcher.Dispatch(Given.Raw(new MessageHeader(300), 1), ref _tally));
        Assert.Equal(DispatchStatus.HandledByFallback, _dispatcher.Dispatch(Given.Raw(new MessageHeader(5).Compressed(9), 1), ref _tally));
        Assert.Equal(DispatchStatus.NotForHandlers, _dispatcher.Dispatch(Given.Raw(new MessageHeader(6, MessageKind.Reply, 1)), ref _tally));

        Assert.Equal([4, 300, 5], types);
        Assert.Equal((4, 5), (_tally.Calls, _tally.Sum));
    }

    [Fact]
    public void A_new_fallback_takes_the_old_ones_place_and_the_old_ones_handle_removes_nothing()
    {
        var old = _dispatcher.RegisterFallback(static (in MessageHeader _, ReadOnlySpan<byte> _, ref Tally tally) => tally.Add(1));
        var current = _dispatcher.RegisterFallback(static (in MessageHeader _, ReadOnlySpan<byte> _, ref Tally tally) => tally.Add(100));

        old.Dispose();
        Assert.Equal(DispatchStatus.HandledByFallback, _dispatcher.Dispatch([4], ref _tally));
        current.Dispose();
        Assert.Equal(DispatchStatus.NoHandler, _dispatcher.Dispatch([4], ref _tally));

        Assert.Equal((1, 100), (_tally.Calls, _tally.Sum));
    }

    [Theory]
    [InlineData(MessageKind.Event, 0, DispatchStatus.Handled)]
    [InlineData(MessageKind.Request, 0, DispatchStatus.Handled)]
    [InlineData(MessageKind.Request, 77, DispatchStatus.Handled)]
    [InlineData(MessageKind.Reply, 77, DispatchStatus.NotForHandlers)]
    [InlineData(MessageKind.Fault, 77, DispatchStatus.NotForHandlers)]
    [InlineData(MessageKind.Control, 0, DispatchStatus.NotForHandlers)]
    public async Task Events_and_requests_alone_reach_handlers(MessageKind kind, uint correlationId, DispatchStatus expected)
    {
        var contract = Given.Points(3);
        var calls = 0;
        _dispatcher.Register(contract, (in Point point, ref Tally _) => calls += point.X);
        var bytes = Given.Packed(contract, new Point(1, 2), kind, correlationId);

        Assert.Equal(expected, _dispatcher.Dispatch(bytes, ref _tally));
        Assert.Equal(expected, await _dispatcher.DispatchAsync(bytes, _tally));

        Assert.Equal(expected == DispatchStatus.Handled ? 2 : 0, calls);
    }

    [Fact]
    public void A_raw_handler_is_told_a_requests_kind_and_correlation_id()
    {
        MessageHeader seen = default;
        _dispatcher.RegisterRaw(3, (in MessageHeader header, ReadOnlySpan<byte> _, ref Tally _) => seen = header);

        _dispatcher.Dispatch(Given.Raw(new MessageHeader(3, MessageKind.Request, 42)), ref _tally);

        Assert.Equal(new MessageHeader(3, MessageKind.Request, 42), seen);
    }

    private static int MessageHeaderSize(byte[] message)
    {
        Assert.Equal(HeaderStatus.Ok, MessageHeader.TryRead(message, out _, out var size));
        return size;
    }
}
