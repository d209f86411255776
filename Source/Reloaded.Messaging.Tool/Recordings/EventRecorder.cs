using System.Diagnostics;
using System.IO;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Wire;
using Spectre.Console.Rendering;

namespace Reloaded.Messaging.Tool;

/// <summary>Writes the events that a client receives until their number is reached. Thread-safe.</summary>
internal sealed class EventRecorder(int most)
{
    private readonly object _gate = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly long _start = Stopwatch.GetTimestamp();

    private readonly Timeline _timeline = new();
    private readonly List<RecordedMessage> _early = []; // before the start
    private RecordingFile? _file;

    /// <summary>The number of events that were written.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
                return _timeline.Count;
        }
    }

    /// <summary>Writes a message if it is a received event.</summary>
    public void Record(in TappedMessage message)
    {
        if (message is not { Direction: MessageDirection.Received, Header.Kind: MessageKind.Event })
            return;
        var header = message.Header;
        var bytes = new byte[message.Length];
        header.Write(bytes);
        message.Payload.CopyTo(bytes.AsSpan(header.Size));
        lock (_gate)
        {
            if (_ended.Task.IsCompleted)
                return;
            var recorded = new RecordedMessage(Stopwatch.GetElapsedTime(_start, Math.Max(_start, message.Timestamp)), bytes);
            try
            {
                if (_file is null)
                    _early.Add(recorded);
                else
                    Write(_file, recorded);
            }
            catch (IOException e)
            {
                _ended.SetException(e); // the host would report it as a failure of a handler, and go on
            }
        }
    }

    /// <summary>Draws the time line until now.</summary>
    public IRenderable Draw(bool isUnicode)
    {
        lock (_gate)
        {
            _timeline.Extend(Stopwatch.GetElapsedTime(_start));
            return _timeline.Draw(_timeline.End, ToolConsole.Count(_timeline.Count, "event"), isUnicode);
        }
    }

    /// <summary>Ends the recording. Later events are not written.</summary>
    public void End()
    {
        lock (_gate)
            _ended.TrySetResult();
    }

    /// <summary>Writes the events that have arrived before, and all later ones, until the recording has ended. Ends it at the end of a time or by the token.</summary>
    /// <exception cref="IOException">Thrown when an event could not be written, which ended the recording.</exception>
    public async Task RunAsync(RecordingFile file, TimeSpan time, CancellationToken cancellationToken)
    {
        lock (_gate)
        {
            foreach (var message in _early)
            {
                if (_timeline.Count < most)
                    Write(file, message);
            }

            _early.Clear();
            _file = file;
        }

        await Task.WhenAny(_ended.Task, Task.Delay(time, cancellationToken));
        End();
        await _ended.Task;
    }

    private void Write(RecordingFile file, RecordedMessage message)
    {
        file.Write(message);
        _timeline.Add(message.Time);
        if (_timeline.Count == most)
            _ended.TrySetResult();
    }
}
