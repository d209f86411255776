using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Linq;

namespace Reloaded.Messaging.Tests.Metrics;

/// <summary>Adds up what the library's meter says while it listens: by instrument, and by instrument and status where there is one.</summary>
/// <remarks>
/// A second copy of the library that a test has loaded has a meter of the same name, which stays for good where the core's target does not know
/// unloading. So the last measurement is kept by instrument and status, and the sums are compared: an unused copy adds the same number each time.
/// </remarks>
internal sealed class MeterRecorder : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<(Instrument Instrument, string Name), long> _last = new();
    private readonly Dictionary<(Instrument Instrument, string Name), long> _before;

    public MeterRecorder()
    {
        _listener.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name != MessagingMetrics.MeterName)
                return;
            Units[instrument.Name] = instrument.Unit;
            listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((instrument, measurement, tags, _) => _last[(instrument, NameOf(instrument, tags))] = measurement);
        MessagePool.PublishMetrics(); // as the process's first message does, which this test may be about to pack
        _listener.Start();
        _listener.RecordObservableInstruments(); // from here on, packed and dispatched messages are counted
        _before = new Dictionary<(Instrument Instrument, string Name), long>(_last);
    }

    /// <summary>The instruments, each with its unit.</summary>
    public SortedDictionary<string, string?> Units { get; } = new(StringComparer.Ordinal);

    /// <summary>The increase of a counter since the recorder was created.</summary>
    public long this[string name]
    {
        get
        {
            _listener.RecordObservableInstruments();
            return SumOf(_last, name) - SumOf(_before, name);
        }
    }

    public void Dispose() => _listener.Dispose();

    private static long SumOf(IEnumerable<KeyValuePair<(Instrument Instrument, string Name), long>> values, string name) =>
        values.Where(pair => pair.Key.Name == name).Sum(static pair => pair.Value);

    private static string NameOf(Instrument instrument, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        var name = instrument.Name;
        foreach (var tag in tags)
            name += $" {tag.Key}={tag.Value}";
        return name;
    }
}
