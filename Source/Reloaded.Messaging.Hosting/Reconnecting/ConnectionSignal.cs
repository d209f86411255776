namespace Reloaded.Messaging.Hosting;

/// <summary>Wakes the callers that wait for a client's connection. Thread-safe.</summary>
internal sealed class ConnectionSignal
{
    private readonly object _gate = new();
    private AsyncGate _changed;
    private bool _isStopped;

    /// <summary>Completes at the next change.</summary>
    public Task Changed
    {
        get
        {
            lock (_gate)
                return _changed.WaitAsync();
        }
    }

    /// <summary>Whether the client makes no further attempt to connect.</summary>
    public bool IsStopped
    {
        get
        {
            lock (_gate)
                return _isStopped;
        }
    }

    public void NoteChange() => Change(stops: false);

    public void Stop() => Change(stops: true);

    private void Change(bool stops)
    {
        lock (_gate)
        {
            _isStopped |= stops;
            _changed.Open();
        }
    }
}
