using System.Collections.Concurrent;
using System.Linq;
using Microsoft.Extensions.Logging;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Worker;

/// <summary>Records log messages with their properties.</summary>
public sealed class LogRecorder : ILoggerProvider, ISupportExternalScope
{
    public sealed record Entry(int Id, LogLevel Level, string Text, IReadOnlyDictionary<string, object?> Properties);

    /// <summary>The state of an entry that has no properties besides those of its scopes.</summary>
    public static readonly IReadOnlyDictionary<string, object?> NoProperties = new Dictionary<string, object?>();

    private readonly ConcurrentQueue<Entry> _entries = new();
    private IExternalScopeProvider _scopes = new LoggerExternalScopeProvider();

    public IEnumerable<Entry> Entries => _entries;

    public async Task<Entry> WaitForAsync(int id)
    {
        await Signal.UntilAsync(() => _entries.Any(entry => entry.Id == id));
        return _entries.First(entry => entry.Id == id);
    }

    public ILogger CreateLogger(string categoryName) =>
        categoryName.StartsWith("Reloaded.", StringComparison.Ordinal) ? new Logger(this) : Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance;

    public void SetScopeProvider(IExternalScopeProvider scopeProvider) => _scopes = scopeProvider;

    public void Dispose()
    {
    }

    /// <summary>Records the entries of a category, with the properties of their scopes.</summary>
    private sealed class Logger(LogRecorder recorder) : ILogger
    {
        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => recorder._scopes.Push(state);

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            var properties = ((IEnumerable<KeyValuePair<string, object?>>)state!).ToDictionary();
            recorder._scopes.ForEachScope(
                static (scope, properties) =>
                {
                    foreach (var (name, value) in (scope as IEnumerable<KeyValuePair<string, object?>>) ?? [])
                        properties.TryAdd(name, value);
                },
                properties);
            recorder._entries.Enqueue(new Entry(eventId.Id, logLevel, formatter(state, exception), properties));
        }
    }
}
