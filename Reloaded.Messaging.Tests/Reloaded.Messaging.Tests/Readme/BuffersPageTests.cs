using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Readme;

/// <summary>The batch of docs/packing.md, compiled and run.</summary>
public sealed class BuffersPageTests
{
    [Fact]
    public void Batch_is_read_back_message_by_message()
    {
        var (writer, dispatcher, moves) = (new MessageWriter(), new MessageDispatcher<int>(), 0);
        dispatcher.Register<DispatchingPageTests.Move>(static (in move, ref count) => count += (int)move.Z);

        using var batch = new MessageBatch();
        writer.Append(batch, new DispatchingPageTests.Move(1, 2, 3));
        writer.Append(batch, new DispatchingPageTests.Move(4, 5, 6));

        var rest = batch.Span;
        while (Frame.TryRead(ref rest, MessageLimits.Default.MaxMessageSize, out var message) == FrameStatus.Ok)
            dispatcher.Dispatch(message, ref moves);

        Assert.Equal((9, 0), (moves, rest.Length));
    }
}
