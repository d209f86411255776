using System.Globalization;
using System.Linq;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Reloaded.Messaging.Tool;

/// <summary>The number of events in each span of a recording. The spans become longer while the recording grows.</summary>
internal sealed class Timeline
{
    /// <summary>The maximum number of spans.</summary>
    public const int MaxSpans = 40;

    private static readonly Style s_done = new(Color.Aqua), s_left = new(decoration: Decoration.Dim);

    private readonly List<int> _spans = [0];
    private TimeSpan _length = TimeSpan.FromMilliseconds(100);

    /// <summary>The number of events.</summary>
    public int Count { get; private set; }

    /// <summary>The time of the end, since the start.</summary>
    public TimeSpan End { get; private set; }

    /// <summary>The number of events in each span.</summary>
    public IReadOnlyList<int> Spans => _spans;

    /// <summary>Adds an event.</summary>
    public void Add(TimeSpan time)
    {
        Extend(time);
        _spans[Find(time)]++;
        Count++;
    }

    /// <summary>Moves the end to a later time.</summary>
    public void Extend(TimeSpan time)
    {
        if (time <= End)
            return;
        End = time;
        while (time >= _length * MaxSpans)
        {
            var pairs = _spans.Chunk(2).Select(static pair => pair.Sum()).ToList();
            _spans.Clear();
            _spans.AddRange(pairs);
            _length *= 2;
        }

        while (_spans.Count <= Find(time))
            _spans.Add(0);
    }

    /// <summary>Draws the start, the spans, the end, and a text.</summary>
    /// <param name="position">The time up to which the spans have the color.</param>
    /// <param name="text">The text.</param>
    /// <param name="isUnicode">Whether the terminal knows more than ASCII.</param>
    public IRenderable Draw(TimeSpan position, string text, bool isUnicode)
    {
        var plot = Plot.Create([.. _spans.Select(static count => (double)count)], isUnicode);
        var done = position < End ? Find(position) : plot.Length;
        return new Paragraph($"{Format(TimeSpan.Zero)} ").Append(plot[..done], s_done).Append(plot[done..], s_left).Append($" {Format(End)}  {text}");
    }

    /// <summary>Returns a time as minutes and seconds.</summary>
    public static string Format(TimeSpan time) => time.ToString(time.TotalHours < 1 ? "m\\:ss" : "d\\.hh\\:mm\\:ss", CultureInfo.InvariantCulture);

    private int Find(TimeSpan time) => (int)(time / _length);
}
