using System;
using System.Diagnostics;
using Reloaded.Messaging.Hosting;

namespace FileTransfer;

/// <summary>Shows a transfer in one line, and calls back once at half of the file. If the output is a file, only the beginnings and the end are written.</summary>
public sealed class ProgressLine(Action half) : IProgress<TransferProgress>
{
    private const int Width = 40;

    private readonly Stopwatch _watch = Stopwatch.StartNew();
    private int _shown = -1;
    private bool _isPastHalf;

    public void Report(TransferProgress value)
    {
        var percent = (int)(100 * value.Transferred / Math.Max(1, value.Length));
        if (percent == _shown)
            return;
        _shown = percent;
        if (!Console.IsOutputRedirected || percent == 100)
        {
            var filled = percent * Width / 100;
            Console.Write($"{(Console.IsOutputRedirected ? "" : "\r")}[{new string('#', filled)}{new string('.', Width - filled)}] {percent,3} %, {value.Transferred / 1e6,6:N1} MB in {_watch.Elapsed.TotalSeconds:N2} s");
        }

        if (percent < 50 || _isPastHalf)
            return;
        _isPastHalf = true;
        half();
    }
}
