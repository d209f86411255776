namespace Reloaded.Messaging.Tool;

/// <summary>What the user has chosen to see in <c>watch</c>. Not thread-safe.</summary>
internal sealed class WatchView
{
    private const int PanelCount = (int)WatchPanel.Counters + 1;

    private List<long> _peers = [];
    private int _first, _rows = 1, _count;

    public WatchPanel Panel { get; private set; }

    public PeerOrder Order { get; private set; }

    /// <summary>The id of the selected peer, or <c>null</c>.</summary>
    public long? Selected { get; private set; }

    /// <summary>Whether the details of the selected peer are shown.</summary>
    public bool IsDetail { get; private set; }

    /// <summary>Notes the peers in the order in which they are shown.</summary>
    public void SetPeers(List<long> peers) => _peers = peers;

    /// <summary>Returns the first row to show. The selected peer is shown, and the page is full if there are enough rows.</summary>
    /// <param name="count">The number of rows of the panel.</param>
    /// <param name="rows">The number of rows that are shown at once.</param>
    public int Scroll(int count, int rows)
    {
        (_count, _rows) = (count, Math.Max(1, rows));
        if (Panel == WatchPanel.Peers && IndexOfSelected() is >= 0 and var selected)
            _first = Math.Clamp(_first, selected - _rows + 1, selected);
        return _first = Math.Max(0, Math.Min(_first, count - _rows));
    }

    /// <summary>Changes the view by a key.</summary>
    /// <returns><c>false</c> if the key ends the command; otherwise, <c>true</c>.</returns>
    public bool Press(ConsoleKeyInfo key)
    {
        switch (key.Key)
        {
            case ConsoleKey.Q:
                return false;
            case ConsoleKey.Tab:
                Show((WatchPanel)(((int)Panel + ((key.Modifiers & ConsoleModifiers.Shift) != 0 ? PanelCount - 1 : 1)) % PanelCount));
                break;
            case ConsoleKey.S when Panel == WatchPanel.Peers && !IsDetail:
                Order = (PeerOrder)(((int)Order + 1) % PeerOrders.Count);
                break;
            case ConsoleKey.Enter when Panel == WatchPanel.Peers && _peers.Count > 0:
                Selected ??= _peers[Math.Min(_first, _peers.Count - 1)];
                IsDetail = !IsDetail;
                break;
            case ConsoleKey.Escape when IsDetail:
                IsDetail = false;
                break;
            case ConsoleKey.Escape:
                Selected = null;
                break;
            case ConsoleKey.UpArrow:
                Move(-1);
                break;
            case ConsoleKey.DownArrow:
                Move(1);
                break;
            case ConsoleKey.PageUp:
                Move(-_rows);
                break;
            case ConsoleKey.PageDown:
                Move(_rows);
                break;
            case ConsoleKey.Home:
                Move(-int.MaxValue / 2);
                break;
            case ConsoleKey.End:
                Move(int.MaxValue / 2);
                break;
        }

        return true;
    }

    private void Show(WatchPanel panel)
    {
        (Panel, IsDetail, _first) = (panel, false, 0);
    }

    /// <summary>Moves the selection in the peers, and the rows in the other panels.</summary>
    private void Move(int rows)
    {
        if (Panel != WatchPanel.Peers)
            _first = Math.Max(0, Math.Min(_first + rows, _count - _rows));
        else if (_peers.Count > 0)
            Selected = _peers[Math.Clamp(IndexOfSelected() is >= 0 and var index ? index + rows : rows > 1 ? rows : 0, 0, _peers.Count - 1)];
    }

    private int IndexOfSelected() => Selected is { } id ? _peers.IndexOf(id) : -1;
}
