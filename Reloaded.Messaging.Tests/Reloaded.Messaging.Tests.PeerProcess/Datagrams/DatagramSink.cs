using System.Collections;
using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.PeerProcess.Datagrams;

/// <summary>Takes what one process was sent, looks at every byte, and says what came of it.</summary>
/// <param name="most">The most numbers there are.</param>
public sealed class DatagramSink(int most)
{
    private readonly BitArray _delivered = new(most);
    private MessageHost? _host;
    private int _deliveries;
    private string? _failure;

    /// <summary>Handles a message, on the one thread that receives.</summary>
    public void Take(ReadOnlyMemory<byte> message)
    {
        var number = BitConverter.ToInt32(message.Span);
        if (!message.Span.SequenceEqual(DatagramTraffic.Make(number)))
            _failure ??= "Something came that nobody sent.";
        else if (_delivered[number])
            _failure ??= $"{number} came twice.";
        else
            _delivered[number] = true;
        Volatile.Write(ref _deliveries, _deliveries + 1);
    }

    /// <summary>What came since the process began.</summary>
    public DatagramsTaken Sum() =>
        new([.. Enum.GetValues<DatagramDropReason>().Select(reason => _host?.GetCount(reason) ?? 0)], Volatile.Read(ref _deliveries), Volatile.Read(ref _failure));

    /// <summary>Says whose datagrams they are.</summary>
    public void CountOf(MessageHost host) => _host = host;
}
