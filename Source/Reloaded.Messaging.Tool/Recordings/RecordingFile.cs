using System.IO;
using System.Text;

namespace Reloaded.Messaging.Tool;

/// <summary>The file of a recording that is written. Each line is in the file when its write returns, so a killed process loses none.</summary>
internal sealed class RecordingFile : IDisposable
{
    private readonly Stream _file;

    /// <summary>Replaces a file by one with the first line of a recording.</summary>
    /// <exception cref="IOException">Thrown when the file cannot be written, or when another recording is written to it.</exception>
    public RecordingFile(string path, string start)
        : this(new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 1), start)
    {
    }

    /// <param name="file">The file, which is disposed with this object.</param>
    /// <param name="start">The first line.</param>
    public RecordingFile(Stream file, string start)
    {
        _file = file;
        WriteLine(start);
    }

    /// <summary>Writes a message.</summary>
    /// <exception cref="IOException">Thrown when the message was not written, for example because the disk is full. The file ends with the message before it.</exception>
    public void Write(RecordedMessage message) => WriteLine(Recording.FormatLine(message));

    public void Dispose() => _file.Dispose();

    private void WriteLine(string line)
    {
        var length = _file.CanSeek ? _file.Position : 0;
        try
        {
            _file.Write(Encoding.UTF8.GetBytes(line + '\n'));
        }
        catch (IOException)
        {
            TryTruncate(length); // a part of a line would make the recording invalid
            throw;
        }
    }

    private void TryTruncate(long length)
    {
        try
        {
            _file.SetLength(length);
        }
        catch (Exception e) when (e is IOException or NotSupportedException)
        {
            // A pipe or a device has no length. The failed write is reported.
        }
    }
}
