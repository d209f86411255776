using System.Diagnostics;

namespace Reloaded.Messaging;

/// <summary>Bytes from one writer to one reader within a process. Unlike System.IO.Pipelines, it is available on each target without a package.</summary>
/// <remarks>The ring grows up to the usual size of socket buffers. When it is full, the writer waits, as it does with a socket.</remarks>
internal sealed class BytePipe
{
    private const int MaxSize = 256 * 1024;

    private readonly object _gate = new();
    private readonly ReceiveWait<bool> _readable;
    private readonly ReceiveWait<bool> _writable;
    private byte[] _ring = new byte[4096];
    private int _start;
    private int _count;
    private long _read;
    private string? _failure;
    private bool _isWriterClosed;
    private bool _isReaderClosed;

    public BytePipe()
    {
        (_readable, _writable) = (NewWait(), NewWait());

        // Otherwise, the reader would handle its messages on the thread of the writer, and the other way round.
        ReceiveWait<bool> NewWait() => new(_gate, runsContinuationsAsynchronously: true) { KeepsRegistration = true };
    }

    /// <summary>The number of bytes that were read.</summary>
    public long ReadBytes => Volatile.Read(ref _read);

    /// <summary>Whether bytes wait to be read.</summary>
    public bool HasUnread
    {
        get
        {
            lock (_gate)
                return _count > 0;
        }
    }

    /// <summary>Whether the writer has closed the pipe.</summary>
    public bool IsWriterClosed => Volatile.Read(ref _isWriterClosed);

    /// <summary>Whether the reader has closed the pipe.</summary>
    public bool IsReaderClosed => Volatile.Read(ref _isReaderClosed);

    /// <summary>Why the writer failed, or <see langword="null"/> if it did not.</summary>
    public string? Failure => Volatile.Read(ref _failure);

    /// <summary>Writes as many bytes as there is room for.</summary>
    /// <returns>The number of bytes written. If 0, the ring is full, or one side has closed the pipe.</returns>
    public int Write(ReadOnlySpan<byte> bytes)
    {
        int written;
        bool wakes;
        lock (_gate)
        {
            if (_isWriterClosed || _isReaderClosed)
                return 0;
            Grow(bytes.Length);
            written = Math.Min(bytes.Length, _ring.Length - _count);
            var at = (_start + _count) % _ring.Length;
            var first = Math.Min(written, _ring.Length - at);
            bytes.Slice(0, first).CopyTo(_ring.AsSpan(at));
            bytes.Slice(first, written - first).CopyTo(_ring);
            _count += written;
            wakes = written > 0 && _readable.TryTake();
        }

        if (wakes)
            _readable.SetResult(true);
        return written;
    }

    /// <summary>Reads the available bytes, and zeroes them in the ring.</summary>
    /// <returns>The number of bytes read. If 0, the ring is empty.</returns>
    public int Read(Span<byte> target)
    {
        int read;
        bool wakes;
        lock (_gate)
        {
            read = Math.Min(_count, target.Length);
            Copy(target.Slice(0, read));
            Volatile.Write(ref _read, _read + read);
            wakes = _count <= MaxSize / 2 && _writable.TryTake();
        }

        if (wakes)
            _writable.SetResult(true);
        return read;
    }

    /// <summary>Waits until there are bytes to read, or until a side closes the pipe.</summary>
    public ValueTask WaitToReadAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        lock (_gate)
        {
            if (_count > 0 || _isWriterClosed || _isReaderClosed)
                return default;
            _readable.Begin(cancellationToken);
        }

        return _readable.AsVoidTask();
    }

    /// <summary>Waits until there is room, or until a side closes the pipe.</summary>
    public ValueTask WaitToWriteAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        lock (_gate)
        {
            if (_count < MaxSize || _isWriterClosed || _isReaderClosed)
                return default;
            _writable.Begin(cancellationToken);
        }

        return _writable.AsVoidTask();
    }

    /// <summary>Closes the writer's side.</summary>
    /// <param name="failure">Why the reader fails after it has read the remaining bytes. <see langword="null"/>: the reader then reads the end.</param>
    public void CloseWriter(string? failure)
    {
        lock (_gate)
        {
            _failure = failure;
            Volatile.Write(ref _isWriterClosed, true); // release: a reader that sees it sees the failure
        }

        Wake();
        _writable.Stop();
    }

    /// <summary>Closes the reader's side. The writer fails.</summary>
    public void CloseReader()
    {
        lock (_gate)
        {
            _isReaderClosed = true;
            Copy(default, _count);
        }

        Wake();
        _readable.Stop();
    }

    private void Wake()
    {
        bool wakesReader, wakesWriter;
        lock (_gate)
            (wakesReader, wakesWriter) = (_readable.TryTake(), _writable.TryTake());
        if (wakesReader)
            _readable.SetResult(true);
        if (wakesWriter)
            _writable.SetResult(true);
    }

    private void Grow(int size)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        var needed = Math.Min((long)_count + size, MaxSize);
        if (needed <= _ring.Length)
            return;
        var larger = new byte[Math.Max((int)needed, Math.Min(2 * _ring.Length, MaxSize))];
        var count = _count;
        Copy(larger.AsSpan(0, count));
        (_ring, _start, _count) = (larger, 0, count);
    }

    private void Copy(Span<byte> target) => Copy(target, target.Length);

    /// <summary>Removes bytes from the ring, zeroes them there, and copies them to the target if it is not empty.</summary>
    private void Copy(Span<byte> target, int size)
    {
        Debug.Assert(Monitor.IsEntered(_gate));
        var first = _ring.AsSpan(_start, Math.Min(size, _ring.Length - _start));
        var second = _ring.AsSpan(0, size - first.Length);
        if (!target.IsEmpty)
        {
            first.CopyTo(target);
            second.CopyTo(target.Slice(first.Length));
        }

        first.Clear(); // the bytes may be a secret
        second.Clear();
        _start = (_start + size) % _ring.Length;
        _count -= size;
    }
}
