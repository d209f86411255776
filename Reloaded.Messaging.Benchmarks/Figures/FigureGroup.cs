using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Benchmarks.Figures;

/// <summary>A group of figures that are measured together. Each figure is stored, and printed as soon as it is measured.</summary>
public abstract class FigureGroup(Action<Figure> print)
{
    private readonly List<Figure> _figures = [];

    /// <summary>The figures measured so far.</summary>
    public IReadOnlyList<Figure> Figures => _figures;

    /// <summary>Measures the whole group, which takes about a minute.</summary>
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
