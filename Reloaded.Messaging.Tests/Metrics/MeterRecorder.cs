using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using Reloaded.Messaging.Metrics;

namespace Reloaded.Messaging.Tests.Metrics;

/// <summary>Adds up what the library's meter says while it listens: by instrument, and by instrument and status where there is one.</summary>
internal sealed class MeterRecorder : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<string, long> _sums = new();
    private readonly ConcurrentDictionary<string, long> _last = new();
    private readonly Dictionary<string, long> _before;

    public MeterRecorder()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name != MessagingMetrics.MeterName)
                return;
            Units[instrument.Name] = instrument.Unit;
            listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((instrument, measurement, tags, _) =>
        {
            if (instrument.IsObservable)
                _last[instrument.Name] = measurement;
            else
                Add(instrument.Name, measurement, tags);
        });
        _listener.Start();
        _listener.RecordObservableInstruments(); // from here on, packed and dispatched messages are counted
        _before = new Dictionary<string, long>(_last);
    }

    /// <summary>The instruments, each with its unit.</summary>
    public SortedDictionary<string, string?> Units { get; } = new(StringComparer.Ordinal);

    /// <summary>What was added to a counter since the recorder was made.</summary>
    public long this[string name]
    {
        get
        {
            _listener.RecordObservableInstruments();
            return _last.TryGetValue(name, out var last) ? last - _before[name] : _sums.GetValueOrDefault(name);
        }
    }

    public void Dispose() => _listener.Dispose();

    private void Add(string name, long measurement, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        foreach (var tag in tags)
            name += $" {tag.Key}={tag.Value}";
        _sums.AddOrUpdate(name, measurement, (_, sum) => sum + measurement);
    }
}
