namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>Good messages of one type, broken: an endless, repeatable row of them. The header stays good.</summary>
internal sealed class Mutations(GeneratedTarget target, ulong seed)
{
    private const int Largest = 4096;

    // Where a length, a count, a tag, a number or a flag changes its meaning.
    private static readonly byte[] s_telling = [0x00, 0x01, 0x02, 0x7E, 0x7F, 0x80, 0x81, 0xC0, 0xFE, 0xFF];
    private static readonly byte[][] s_lies = [[0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [0x80, 0x80, 0x80, 0x80, 0x08], [0xFF, 0x7F], [0x80, 0x00], [0xFF, 0xFF, 0x03]];

    private readonly Noise _noise = new(seed);
    private readonly byte[] _buffer = new byte[2 * Largest];
    private int _length;

    /// <summary>The next message. Valid until the one after it.</summary>
    public ReadOnlySpan<byte> Next()
    {
        Copy(Pick());
        switch (_noise.Below(64))
        {
            case < 4:
                break; // as good as it was
            case < 8:
                Truncate();
                break;
            case < 12:
                Splice(Pick());
                break;
            case < 14:
                Random(1 + _noise.Below(40));
                break;
            case 14:
                Random(1 + _noise.Below(1000));
                break;
            default:
                for (var i = _noise.Below(4); i >= 0; i--)
                    Change();
                break;
        }

        return _buffer.AsSpan(0, _length);
    }

    private byte[] Pick() => target.Samples[_noise.Below(target.Samples.Count)];

    private void Copy(byte[] from)
    {
        from.CopyTo(_buffer, 0);
        _length = from.Length;
    }

    private void Truncate() => _length = 1 + _noise.Below(_length);

    private void Change()
    {
        if (_length == 1)
        {
            Insert(_noise.Below(8));
            return;
        }

        var at = 1 + _noise.Below(_length - 1);
        switch (_noise.Below(7))
        {
            case 0:
                _buffer[at] ^= (byte)(1 << _noise.Below(8));
                break;
            case 1:
                _buffer[at] = (byte)_noise.Next();
                break;
            case 2:
                _buffer[at] = s_telling[_noise.Below(s_telling.Length)];
                break;
            case 3:
                _buffer[at] += (byte)(_noise.Below(2) == 0 ? 1 : 255);
                break;
            case 4:
                Insert(1 + _noise.Below(8));
                break;
            case 5:
                Lie(at);
                break;
            default:
                Remove(at, 1 + _noise.Below(8));
                break;
        }
    }

    private void Insert(int count)
    {
        var at = 1 + _noise.Below(_length);
        _buffer.AsSpan(at, _length - at).CopyTo(_buffer.AsSpan(at + count));
        _noise.Fill(_buffer.AsSpan(at, count));
        _length += count;
    }

    private void Lie(int at)
    {
        var lie = s_lies[_noise.Below(s_lies.Length)];
        lie.CopyTo(_buffer, at);
        _length = Math.Max(_length, at + lie.Length);
    }

    private void Remove(int at, int count)
    {
        count = Math.Min(count, _length - at);
        _buffer.AsSpan(at + count, _length - at - count).CopyTo(_buffer.AsSpan(at));
        _length -= count;
    }

    private void Splice(byte[] tail)
    {
        var head = 1 + _noise.Below(_length);
        var rest = tail.AsSpan(1 + _noise.Below(tail.Length));
        rest = rest.Slice(0, Math.Min(rest.Length, Largest - head));
        rest.CopyTo(_buffer.AsSpan(head));
        _length = head + rest.Length;
    }

    private void Random(int length)
    {
        _noise.Fill(_buffer.AsSpan(1, length));
        _length = 1 + length;
    }
}
