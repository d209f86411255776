using System.Collections;
using System.Diagnostics;
using System.Linq;
using System.Reflection;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Mono;

/// <summary>Runs the tests of this assembly, one after the other, each with a time limit.</summary>
/// <param name="filter">A part of the names of the tests to run; <see langword="null"/> for all tests.</param>
internal sealed class TestRun(string? filter)
{
    /// <summary>Tests that need what Mono lacks: a part of their names, and why they are skipped.</summary>
    private static readonly (string Name, string Reason)[] s_unsupported =
    [
        ("PipeStreamChannelTests.", "Mono has no PipeOptions.FirstPipeInstance"),
        (".TlsChannelTests.", "the SslStream of Mono ignores the cancellation of a pending operation"),
        (".FarewellTests.Farewell_of_TLS", "the SslStream of Mono sends nothing when it is shut down"),
        (".WebSocketTests.Server_of_the_framework", "the HttpListener of Mono has no WebSockets"),
        (".EndpointTextTests.Too_long_path", "the longest path of a Unix socket is shorter on Mono"),
        ("_another_protection_is_refused_with_the_reason_and_counted(secret, token)", "Mono cannot create keys on P-256"),
        (".WithToken_without_keys_on_P256_is_refused_before_anything_listens_or_connects(udp)", "the netstandard2.1 build has no UDP"),
        (".StreamChannelTests.Bytes_that_arrive_while_this_side_closes", "an anonymous pipe of Mono that is closed during a read or a write may change the first bytes of the next pipe"),
        (".StreamChannelTests.Closing_any_number_of_times", "an anonymous pipe of Mono that is closed during a read or a write may change the first bytes of the next pipe"),
        (".SocketFailureTests.Missing_socket_is_named_as_such", "Mono reports another error for a missing Unix socket"),
    ];

    private static readonly TimeSpan s_limit = Deadline.Length + TimeSpan.FromSeconds(30); // longer than the waits of a test, whose exceptions say what did not happen

    private readonly HashSet<string> _reasons = [];
    private readonly List<(string Name, Type Type, MethodInfo Method, object?[] Row)> _failures = [];
    private int _passed;
    private int _failed;
    private int _skipped;

    /// <returns>The exit code: 0 if tests ran and all passed.</returns>
    public int Run()
    {
        var tests = typeof(TestRun).Assembly.GetTypes()
            .Where(static type => type is { IsClass: true, IsAbstract: false })
            .OrderBy(static type => type.FullName, StringComparer.Ordinal)
            .SelectMany(static type => type.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static).OrderBy(static method => method.Name, StringComparer.Ordinal).Select(method => (type, method)))
            .Where(static test => test.method.IsDefined(typeof(FactAttribute), inherit: true));
        foreach (var (type, method) in tests)
        {
            if (filter is not null && !$"{type.FullName}.{method.Name}".Contains(filter, StringComparison.Ordinal))
                continue;
            foreach (var row in Rows(type, method))
                RunOne(type, method, row);
        }

        RunAgain();
        Console.WriteLine($"{_passed} passed, {_failed} failed, {_skipped} skipped");
        return _failed == 0 && _passed > 0 ? 0 : 1;
    }

    /// <summary>Runs the tests that failed once more, when nothing else runs. Other programs of the step delay a test, and a few tests wait for limited times.</summary>
    private void RunAgain()
    {
        var failures = _failures.ToArray();
        _failures.Clear();
        foreach (var (name, type, method, row) in failures)
        {
            var failed = --_failed;
            RunOne(type, method, row);
            if (_failed == failed)
                Console.WriteLine($"Passed in a second run: {name} (Mono)");
        }
    }

    private void RunOne(Type type, MethodInfo method, object?[] row)
    {
        var name = $"{type.FullName}.{method.Name}({string.Join(", ", row.Select(static value => value?.ToString() ?? "null"))})";
        if (Array.Find(s_unsupported, test => name.Contains(test.Name, StringComparison.Ordinal)) is { Reason: { } reason })
        {
            _skipped++;
            if (_reasons.Add(reason))
                Console.WriteLine($"skipped tests, because {reason}");
            return;
        }

        var watch = Stopwatch.StartNew();
        var running = Task.Factory.StartNew(() => CallAsync(type, method, row), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
        Exception? failure = null;
        try
        {
            if (!running.Wait(s_limit))
                failure = new TimeoutException($"The test did not end within {s_limit.TotalSeconds} s.");
        }
        catch (AggregateException e)
        {
            failure = e.InnerException is TargetInvocationException { InnerException: { } inner } ? inner : e.InnerException;
        }

        switch (failure)
        {
            case null:
                _passed++;
                break;
            case SkipException skipped:
                _skipped++;
                Console.WriteLine($"skipped: {name}: {skipped.Message}");
                break;
            default:
                _failed++;
                _failures.Add((name, type, method, row));
                Console.WriteLine($"FAILED: {name}\n{failure}\n");
                break;
        }

        if (watch.Elapsed > TimeSpan.FromSeconds(3))
            Console.WriteLine($"{watch.Elapsed.TotalSeconds:F0} s: {name}");
    }

    private static async Task CallAsync(Type type, MethodInfo method, object?[] row)
    {
        var target = method.IsStatic ? null : Activator.CreateInstance(type);
        try
        {
            if (target is IAsyncLifetime lifetime)
                await lifetime.InitializeAsync();
            var called = method.IsGenericMethodDefinition ? method.MakeGenericMethod([.. method.GetGenericArguments().Select(argument => TypeOf(method, argument, row))]) : method;
            switch (called.Invoke(target, Fill(called, row)))
            {
                case Task task:
                    await task;
                    break;
                case ValueTask task:
                    await task;
                    break;
            }
        }
        finally
        {
            if (target is IAsyncDisposable disposable)
                await disposable.DisposeAsync();
            else
                (target as IDisposable)?.Dispose();
        }
    }

    /// <summary>The type of the first argument whose parameter has the generic type.</summary>
    private static Type TypeOf(MethodInfo method, Type generic, object?[] row)
    {
        var parameters = method.GetParameters();
        return row[Array.FindIndex(parameters, parameter => parameter.ParameterType == generic)]!.GetType();
    }

    /// <summary>Adds the default values of omitted parameters, and converts constants to the types of the parameters.</summary>
    private static object?[] Fill(MethodInfo method, object?[] row) =>
    [
        .. method.GetParameters().Select((parameter, i) => i >= row.Length ? parameter.DefaultValue
            : row[i] is IConvertible value and not string && !parameter.ParameterType.IsInstanceOfType(value) && parameter.ParameterType.IsPrimitive ? Convert.ChangeType(value, parameter.ParameterType)
            : row[i]),
    ];

    private static IEnumerable<object?[]> Rows(Type type, MethodInfo method)
    {
        if (!method.IsDefined(typeof(TheoryAttribute), inherit: true))
        {
            yield return [];
            yield break;
        }

        foreach (var data in method.GetCustomAttributes<InlineDataAttribute>())
            yield return data.Data;
        foreach (var data in method.GetCustomAttributes<MemberDataAttribute>())
        {
            var rows = GetMember(data.MemberType ?? type, data);
            foreach (var row in rows is TheoryData theory ? theory.Rows : (IEnumerable)rows!)
                yield return (object?[])row!;
        }
    }

    private static object? GetMember(Type type, MemberDataAttribute data)
    {
        const BindingFlags Static = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.FlattenHierarchy;
        if (type.GetProperty(data.Name, Static) is { } property)
            return property.GetValue(null);
        if (type.GetField(data.Name, Static) is { } field)
            return field.GetValue(null);
        return type.GetMethod(data.Name, Static)!.Invoke(null, data.Arguments);
    }
}
