namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>A dispatcher's state as a struct: what a handler does to it shows only if it came by reference.</summary>
internal struct Tally
{
    public int Calls;
    public long Sum;

    public void Add(long value)
    {
        Calls++;
        Sum += value;
    }
}
