using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Data.Sqlite;

namespace Fleet;

/// <summary>A SQLite database with the results of matches, and the ids of the messages that were handled.</summary>
public sealed class Statistics : IDisposable
{
    private readonly SqliteConnection _database;
    private readonly SemaphoreSlim _gate = new(1, 1);
    private SqliteTransaction? _transaction;
    private int _added;

    public Statistics(string file)
    {
        _database = new SqliteConnection($"Data Source={file}");
        _database.Open();
        Execute("PRAGMA journal_mode = WAL");
        Execute("CREATE TABLE IF NOT EXISTS results (match INTEGER PRIMARY KEY, server TEXT NOT NULL, winner INTEGER NOT NULL)");
        Execute("CREATE TABLE IF NOT EXISTS handled (id TEXT PRIMARY KEY)");
        Execute("CREATE TABLE IF NOT EXISTS skipped (count INTEGER NOT NULL)");
        Execute("INSERT INTO skipped SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM skipped)");
    }

    /// <summary>Calls the handler of a message in a transaction, which also marks the message as handled. A message that is marked is skipped.</summary>
    /// <returns>The match that was stored; <c>null</c> for a message that was skipped.</returns>
    public async Task<int?> HandleOnceAsync(string id, Func<ValueTask> handle)
    {
        await _gate.WaitAsync();
        try
        {
            using var transaction = _transaction = _database.BeginTransaction();
            var isNew = Execute("INSERT OR IGNORE INTO handled VALUES ($id)", ("$id", id)) == 1;
            if (isNew)
                await handle();
            else
                Execute("UPDATE skipped SET count = count + 1");
            transaction.Commit();
            return isNew ? _added : null;
        }
        finally
        {
            _transaction = null;
            _gate.Release();
        }
    }

    /// <summary>Stores a result in the current transaction.</summary>
    public void Add(MatchResult result)
    {
        Execute("INSERT INTO results VALUES ($match, $server, $winner)", ("$match", result.Id), ("$server", result.Server), ("$winner", result.Winner));
        _added = result.Id;
    }

    public async ValueTask<Standings> ReadAsync()
    {
        await _gate.WaitAsync();
        try
        {
            return new Standings(Count("SELECT COUNT(*) FROM results"), Count("SELECT count FROM skipped"));
        }
        finally
        {
            _gate.Release();
        }
    }

    public void Dispose()
    {
        _database.Dispose();
        _gate.Dispose();
    }

    private int Count(string query)
    {
        using var command = new SqliteCommand(query, _database);
        return (int)(long)command.ExecuteScalar()!;
    }

    private int Execute(string text, params (string Name, object Value)[] parameters)
    {
        using var command = new SqliteCommand(text, _database, _transaction);
        foreach (var (name, value) in parameters)
            command.Parameters.AddWithValue(name, value);
        return command.ExecuteNonQuery();
    }
}
