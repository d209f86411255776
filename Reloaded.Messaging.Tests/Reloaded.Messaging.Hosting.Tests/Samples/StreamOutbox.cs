using System;
using System.IO;
using System.Threading.Channels;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Samples;

/// <summary>The messages that wait to be written to a stream. The messages that arrive during a write go out with the next one.</summary>
internal sealed class StreamOutbox(Stream output) : IDisposable
{
    private readonly object _gate = new();
    private readonly Channel<bool> _signal = Channel.CreateBounded<bool>(new BoundedChannelOptions(1) { FullMode = BoundedChannelFullMode.DropWrite });
    private MessageBatch _waiting = new();
    private bool _isClosed;

    /// <summary>Copies a message. Never waits.</summary>
    public SendStatus Send(ReadOnlySpan<byte> message, bool isSecret)
    {
        lock (_gate)
        {
            if (_isClosed)
                return SendStatus.Closed;
            if (!_waiting.TryAppend(message, isSecret))
                return SendStatus.Full;
        }

        _signal.Writer.TryWrite(true);
        return SendStatus.Sent;
    }

    /// <summary>Writes messages until the outbox is closed and empty.</summary>
    public async Task WriteAsync()
    {
        var writing = new MessageBatch();
        try
        {
            await foreach (var _ in _signal.Reader.ReadAllAsync())
            {
                lock (_gate)
                    (writing, _waiting) = (_waiting, writing);
                await output.WriteAsync(writing.Memory);
                await output.FlushAsync();
                writing.Clear();
            }
        }
        finally
        {
            Close(); // after a failed write, no message is taken
            writing.Dispose();
        }
    }

    /// <summary>Accepts no further messages.</summary>
    public void Close()
    {
        lock (_gate)
            _isClosed = true;
        _signal.Writer.TryComplete();
    }

    public void Dispose()
    {
        Close();
        lock (_gate)
            _waiting.Dispose();
    }
}
