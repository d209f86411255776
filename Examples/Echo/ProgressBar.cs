using System;

namespace Echo;

/// <summary>A progress bar in one line. If the output is a file, only the final state is written.</summary>
public static class ProgressBar
{
    private const int Width = 30;

    public static void Show(string name, double part)
    {
        part = Math.Min(part, 1);
        var filled = (int)(part * Width);
        var line = $"{name,-18} [{new string('#', filled)}{new string('.', Width - filled)}] {part,4:P0}";
        if (part >= 1)
            Console.WriteLine(Console.IsOutputRedirected ? line : $"\r{line}");
        else if (!Console.IsOutputRedirected)
            Console.Write($"\r{line}");
    }
}
