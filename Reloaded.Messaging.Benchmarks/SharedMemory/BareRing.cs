namespace Reloaded.Messaging.Benchmarks.SharedMemory;

/// <summary>The floor: one direction of 1024 slots of 64 bytes with one writer and one reader, which spin and do nothing else.</summary>
public sealed unsafe class BareRing(byte* start)
{
    public const int Size = 256 + (Slots * 64);

    private const int Slots = 1024;

    private long _written, _read, _seenTail, _seenHead;

    public void Write(in Note note)
    {
        while (_written - _seenHead == Slots)
            _seenHead = Volatile.Read(ref *(long*)(start + 128));
        *(Note*)(start + 256 + (_written % Slots * 64)) = note;
        Volatile.Write(ref *(long*)start, ++_written);
    }

    public Note Read()
    {
        while (_seenTail == _read)
            _seenTail = Volatile.Read(ref *(long*)start);
        var note = *(Note*)(start + 256 + (_read % Slots * 64));
        Volatile.Write(ref *(long*)(start + 128), ++_read);
        return note;
    }
}
