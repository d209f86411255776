namespace Reloaded.Messaging.Tests.Udp;

/// <summary>A bulk transfer over an emulated path with the congestion control CUBIC of RFC 9438, as TCP of most systems.</summary>
internal sealed class CubicFlow(EmulatedPath path)
{
    private const int Size = 1240; // with all headers
    private const int AcknowledgementSize = 60;
    private const double C = 0.4; // RFC 9438, 5.1
    private const double Beta = 0.7; // RFC 9438, 4.6
    private const int ReorderingThreshold = 3; // RFC 9438 uses the loss detection of TCP: RFC 5681, 3.2

    private readonly SortedDictionary<long, long> _inFlight = []; // the numbers of the datagrams, and the times at which they were sent
    private double _window = 10; // in datagrams; RFC 6928
    private double _threshold = double.MaxValue;
    private double _most; // the window before the last reduction
    private double _reno;
    private long _epoch = -1;
    private long _next;
    private long _recovery; // the first datagram after the last reduction
    private double _roundTrip = 0.1 * TimeSpan.TicksPerSecond;

    /// <summary>The bytes that have arrived, with all headers.</summary>
    public long Received { get; private set; }

    /// <summary>Sends what the window allows.</summary>
    public void Send()
    {
        var timeout = Math.Max(2 * _roundTrip, TimeSpan.TicksPerSecond / 5);
        foreach (var (_, sentAt) in _inFlight)
        {
            if (path.Ticks - sentAt < timeout)
                break;
            _inFlight.Clear();
            Reduce();
            _window = 1;
            break;
        }

        for (; _inFlight.Count < (int)Math.Max(1, _window); _next++)
        {
            var number = _next;
            _inFlight.Add(number, path.Ticks);
            path.Send(isClients: true, Size, _ =>
            {
                Received += Size;
                path.Send(isClients: false, AcknowledgementSize, now => Acknowledge(number, now));
            });
        }
    }

    private void Acknowledge(long number, long now)
    {
        if (!_inFlight.Remove(number, out var sentAt))
            return;
        _roundTrip += (now - sentAt - _roundTrip) / 8;
        List<long> lost = [];
        foreach (var (older, _) in _inFlight)
        {
            if (older + ReorderingThreshold > number)
                break;
            lost.Add(older);
        }

        lost.ForEach(older => _inFlight.Remove(older));
        if (lost.Count > 0 && lost[^1] >= _recovery)
            Reduce();
        else if (_window < _threshold)
            _window++;
        else
            Grow(now);
    }

    private void Reduce()
    {
        _most = _window < _most ? _window * (1 + Beta) / 2 : _window; // fast convergence: RFC 9438, 4.7
        _window = _threshold = Math.Max(2, _window * Beta);
        (_epoch, _recovery) = (-1, _next);
    }

    private void Grow(long now)
    {
        if (_epoch < 0)
        {
            (_epoch, _reno) = (now, _window);
            _most = Math.Max(_most, _window);
        }

        var k = Math.Cbrt((_most - _threshold) / C);
        var t = (now - _epoch + _roundTrip) / TimeSpan.TicksPerSecond;
        var cubic = (C * Math.Pow(t - k, 3)) + _most;
        _reno += 3 * (1 - Beta) / (1 + Beta) / _window; // RFC 9438, 4.3
        var target = Math.Max(Math.Clamp(cubic, _window, 1.5 * _window), _reno);
        _window += (target - _window) / _window;
    }
}
