using System;
using System.Threading;

namespace GameConsole;

/// <summary>Draws a progress bar on the last line of the console. Other lines are printed above it.</summary>
public sealed class ProgressLine(Action<BakeStep> reported) : IProgress<BakeStep>
{
    private const int Width = 30;
    private const int Step = 25;

    private static readonly Lock s_gate = new();
    private static string s_bar = "";

    private int _shown = -1;

    /// <summary>The last percentage that was reported.</summary>
    public int Percent { get; private set; }

    /// <summary>Prints a line above the bar.</summary>
    public static void Print(string line)
    {
        lock (s_gate)
            Console.WriteLine(Console.IsOutputRedirected ? line : $"\r{line.PadRight(s_bar.Length)}\n{s_bar}".TrimEnd('\n'));
    }

    public void Report(BakeStep value)
    {
        Percent = value.Percent;
        var isStep = value.Percent / Step > _shown;
        _shown = value.Percent / Step;
        var filled = value.Percent * Width / 100;
        Draw($"[{new string('#', filled)}{new string('.', Width - filled)}] {value.Percent,3} %  {value.Step,-18}", isStep);
        reported(value);
    }

    /// <summary>Replaces the bar by a line with the result.</summary>
    public void End(string result)
    {
        lock (s_gate)
        {
            if (!Console.IsOutputRedirected)
                Console.Write("\r");
            Console.WriteLine($"tool> {result} ({Percent} %)".PadRight(s_bar.Length));
            s_bar = "";
        }
    }

    private static void Draw(string bar, bool isStep)
    {
        lock (s_gate)
        {
            s_bar = bar;
            if (!Console.IsOutputRedirected)
                Console.Write($"\r{bar}");
            else if (isStep)
                Console.WriteLine(bar.TrimEnd());
        }
    }
}
