namespace Reloaded.Messaging;

/// <summary>Sends single bytes over the lifeline, without waiting. A byte that waits to be sent is not sent twice.</summary>
internal sealed class LifelineSender(TransportChannel lifeline)
{
    private readonly object _gate = new();
    private readonly byte[] _bytes = new byte[3];
    private int _asked;
    private bool _isSending;

    public void Send(byte code)
    {
        lock (_gate)
        {
            _asked |= 1 << code;
            if (_isSending)
                return;
            _isSending = true;
        }

        _ = SendAllAsync();
    }

    private async Task SendAllAsync()
    {
        try
        {
            while (Take() is > 0 and var count)
                await lifeline.SendAsync(_bytes.AsMemory(0, count), default).ConfigureAwait(false);
        }
        catch (TransportClosedException)
        {
            // The other side is gone, or this one: there is no thread to wake.
        }
    }

    private int Take()
    {
        lock (_gate)
        {
            var count = 0;
            for (byte code = LifelineCode.Mapped; code <= LifelineCode.WakeProducer; code++)
            {
                if ((_asked & (1 << code)) != 0)
                    _bytes[count++] = code;
            }

            _asked = 0;
            _isSending = count > 0;
            return count;
        }
    }
}
