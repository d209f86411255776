namespace Reloaded.Messaging.Tool;

/// <summary>Shows inspections of a host on the screen, and obeys keys. Thread-safe.</summary>
internal sealed class WatchDisplay(FullScreen screen, TimeProvider clock)
{
    private readonly object _gate = new();
    private readonly RateHistory _history = new();
    private readonly WatchView _view = new();
    private WatchedRates? _rates;
    private DateTimeOffset _time;
    private string? _note = "The first rates are shown after one interval.";

    /// <summary>Shows inspections until their number is reached, or until the user ends the command.</summary>
    /// <returns>The last rates; <c>null</c> if there are none.</returns>
    public async Task<WatchedRates?> RunAsync(Watcher watcher, int count, CancellationToken cancellationToken)
    {
        using var ending = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var pressing = PressAsync(ending.Token); // before the first frame, so that each later change of the size is seen
        lock (_gate)
            Draw();
        var watching = watcher.RunAsync(count, Show, Note, ending.Token);
        var first = await Task.WhenAny(watching, pressing);
        await ending.CancelAsync();
        await Task.WhenAll(watching, pressing).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing); // no frame is drawn after the screen was given back
        if (!cancellationToken.IsCancellationRequested)
            await first;
        return _rates;
    }

    private void Show(WatchedRates rates)
    {
        lock (_gate)
        {
            (_rates, _note, _time) = (rates, null, clock.GetLocalNow());
            _history.Add(rates);
            Draw();
        }
    }

    private void Note(string text)
    {
        lock (_gate)
        {
            _note = _rates is null ? text : FormattableString.Invariant($"as of {_time:HH:mm:ss}: {text}");
            Draw();
        }
    }

    private async Task PressAsync(CancellationToken cancellationToken)
    {
        await foreach (var key in screen.Terminal.ReadKeys().ReadAllAsync(cancellationToken))
        {
            lock (_gate)
            {
                if (!_view.Press(key))
                    return;
                Draw();
            }
        }
    }

    private void Draw()
    {
        var frame = screen.CreateFrame();
        if (_rates is null)
        {
            frame.Add(_note ?? "");
            WatchScreen.AddKeys(frame, _view);
        }
        else
        {
            new WatchScreen(frame, _rates, _history, _view).Draw(_note);
        }

        screen.Draw(frame);
    }
}
