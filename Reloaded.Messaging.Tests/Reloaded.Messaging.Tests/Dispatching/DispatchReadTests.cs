using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>A message whose header a host has read is handled and counted as one whose header the dispatcher reads.</summary>
[Quiet]
public sealed class DispatchReadTests
{
    private static readonly MessageLimits s_limits = new() { MaxMessageSize = 128, MaxDecompressedSize = 200 };
    private static readonly MessageContract<string> s_short = Given.Text(3, Given.Always);
    private static readonly MessageContract<Point> s_long = Given.Points(300);
    private static readonly MessageContract<string> s_async = Given.Text(70_000);

    private static readonly (string Name, byte[] Message)[] s_messages =
    [
        ("short", Given.Packed(Given.Text(3), "hello")),
        ("compressed", Given.Packed(s_short, "hello")),
        ("compressed and corrupt", Given.Raw(new MessageHeader(3).Compressed(5), 1, 2)),
        ("compressed and too large", Given.Raw(new MessageHeader(3).Compressed(201), 1, 2)),
        ("request", Given.Packed(s_short, "hello", MessageKind.Request, 42)),
        ("long", Given.Packed(s_long, new Point(1, 2))),
        ("long with an invalid payload", Given.Raw(new MessageHeader(300), 1)),
        ("long request", Given.Packed(s_long, new Point(3, 4), MessageKind.Request, 1)),
        ("asynchronous", Given.Packed(s_async, "later")),
        ("raw", Given.Raw(new MessageHeader(5, MessageKind.Request, 7), 9, 8)),
        ("short without a handler", [9]),
        ("long without a handler", Given.Raw(new MessageHeader(400), 1)),
        ("as large as the limit", Given.Raw(new MessageHeader(3, MessageKind.Request, 1), new byte[124])),
        ("too large", Given.Raw(new MessageHeader(3, MessageKind.Request, 1), new byte[125])),
        ("empty", []),
        ("malformed", [0x7F, 0, 3]),
    ];

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task Message_whose_header_was_read_is_handled_as_any_other(bool isAsync, bool hasFallback)
    {
        foreach (var (name, message) in s_messages)
        {
            var (whole, wholeCalls) = Create(hasFallback);
            var (read, readCalls) = Create(hasFallback);
            MessageHeader.TryRead(message, out var header, out var size);

            var expected = isAsync ? await whole.DispatchAsync(message, wholeCalls) : whole.Dispatch(message, ref wholeCalls);
            var status = isAsync ? await read.DispatchReadAsync(in header, size, message, readCalls, default) : read.DispatchRead(in header, size, message, ref readCalls);

            Assert.Equal((name, expected), (name, status));
            Assert.Equal(wholeCalls, readCalls);
            foreach (var each in Enum.GetValues<DispatchStatus>())
            {
                if (each != DispatchStatus.Handled)
                    Assert.Equal((name, each, whole.GetCount(each)), (name, each, read.GetCount(each)));
            }
        }
    }

    private static (MessageDispatcher<List<string>> Dispatcher, List<string> Calls) Create(bool hasFallback)
    {
        var dispatcher = new MessageDispatcher<List<string>>(s_limits);
        dispatcher.Register(s_short, static (in string text, ref List<string> calls) => calls.Add(text));
        dispatcher.Register(s_long, static (in Point point, ref List<string> calls) => calls.Add($"{point}"));
        dispatcher.Register(s_async, static async (text, calls, _) =>
        {
            await Task.Yield();
            calls.Add(text);
        });
        dispatcher.RegisterRaw(5, static (in MessageHeader header, ReadOnlySpan<byte> payload, ref List<string> calls) => calls.Add($"{header} {Convert.ToHexString(payload)}"));
        if (hasFallback)
            dispatcher.RegisterFallback(static (in MessageHeader header, ReadOnlySpan<byte> payload, ref List<string> calls) => calls.Add($"{header} {Convert.ToHexString(payload)}"));
        return (dispatcher, []);
    }
}
