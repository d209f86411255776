using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.Extensions.Logging;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Worker;

/// <summary>Records log messages with their properties.</summary>
public sealed class LogRecorder : ILoggerProvider, ILogger
{
    public sealed record Entry(int Id, LogLevel Level, string Text, IReadOnlyDictionary<string, object?> Properties);

    private readonly ConcurrentQueue<Entry> _entries = new();

    public IEnumerable<Entry> Entries => _entries;

    public async Task<Entry> WaitForAsync(int id)
    {
        await Signal.UntilAsync(() => _entries.Any(entry => entry.Id == id));
        return _entries.First(entry => entry.Id == id);
    }

    public ILogger CreateLogger(string categoryName) => categoryName.StartsWith("Reloaded.", StringComparison.Ordinal) ? this : Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        _entries.Enqueue(new Entry(eventId.Id, logLevel, formatter(state, exception), ((IEnumerable<KeyValuePair<string, object?>>)state!).ToDictionary()));

    public void Dispose()
    {
    }
}
