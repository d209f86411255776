namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>A struct large enough to be worth compressing.</summary>
public unsafe struct Grid
{
    private fixed long _cells[40];

    public Grid(long cell)
    {
        for (var i = 0; i < 40; i++)
            _cells[i] = cell;
        _cells[7] = 0x1122334455667788;
    }
}
