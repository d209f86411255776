using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>Figures that are measured together: kept, and printed as they come.</summary>
public abstract class FigureGroup(Action<Figure> print)
{
    private readonly List<Figure> _figures = [];

    /// <summary>What was measured so far.</summary>
    public IReadOnlyList<Figure> Figures => _figures;

    /// <summary>Measures the whole group: in about a minute.</summary>
    public abstract void Measure();

    protected void Report(string name, string unit, List<double> rounds, double? reach = null, bool isAtLeast = false)
    {
        var figure = Figure.Of(name, unit, rounds, reach, isAtLeast);
        _figures.Add(figure);
        print(figure);
    }

    protected void ReportSpeed(string name, Race race)
    {
        Report($"{name}.floor.ns", "ns", race.Floor);
        Report($"{name}.ns", "ns", race.Measured);
        Report($"{name}.rate", "messages/s", race.Measured.ConvertAll(static nanoseconds => 1e9 / nanoseconds));
    }
}
