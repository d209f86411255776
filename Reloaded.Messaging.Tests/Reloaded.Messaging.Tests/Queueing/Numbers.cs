using System.Linq;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Tests.Queueing;

/// <summary>A filter that takes some numbers, throws at one, and counts what it was asked.</summary>
internal struct Numbers(params int[] taken) : IMessageFilter<string>, IMessageFilter<long>
{
    public const int Thrown = -1;

    private readonly HashSet<int> _taken = [.. taken];

    public int Asked { get; private set; }

    public bool Takes(ReadOnlySpan<byte> message, string sender)
    {
        Asked++;
        var number = MemoryMarshal.Read<int>(message.Slice(1));
        return number == Thrown ? throw new InvalidOperationException("from the filter") : _taken.Contains(number);
    }

    public bool Takes(ReadOnlySpan<byte> message, long sender) => Takes(message, "");

    /// <summary>Those of the queued numbers that are taken, in order.</summary>
    public static int[] Pump(MessageQueue<string> queue, PumpBudget budget, params int[] taken)
    {
        var state = new Received();
        var filter = new Numbers(taken);
        queue.Pump(Received.CreateDispatcher(), ref state, ref filter, budget);
        return state.Messages.Select(static message => message.Number).ToArray();
    }
}
