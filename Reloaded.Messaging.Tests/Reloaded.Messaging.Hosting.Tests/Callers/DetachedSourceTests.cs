using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Callers;

/// <summary>The packages start work that may outlast its caller by <c>Detached</c>, or by a call that captures nothing of the caller. Only the source of a stream continues in the synchronization context of the caller.</summary>
/// <remarks>An awaited call and a continuation end with the task that they wait for, so they are not listed.</remarks>
public sealed partial class DetachedSourceTests
{
    /// <summary>Programs, code that the compiler runs, and files for other programs.</summary>
    private static readonly string[] s_others = ["Reloaded.Messaging.Tool", "Reloaded.Messaging.Templates", "Reloaded.Messaging.Generators", "Reloaded.Messaging.Generators.CodeFixes"];

    /// <summary>The calls that need no detaching, with the reason.</summary>
    private static readonly Dictionary<string, string> s_allowed = new()
    {
        ["Shared/Threads/Detached.cs"] = "Detached itself",
        ["NetStandard/Polyfills/Threading/ManualResetValueTaskSourceCore.cs"] = "the continuation of a caller",
        ["NetStandard/Polyfills/Threading/Threading.cs: token.Register"] = "UnsafeRegister, without flow",
        ["NetStandard/Reloaded.Messaging.Transports/Polyfills/TimeProvider.cs: CreateTimer"] = "the clock itself",
        ["NetStandard/Reloaded.Messaging.Transports/Polyfills/TimeProvider.cs: new Timer"] = "the clock itself",
        ["Reloaded.Messaging/Queueing/MessageQueue.cs: cancellationToken.Register"] = "disposed before the awaited call returns",
        ["Reloaded.Messaging.Hosting/MessageHost.Handlers.cs: Task.Factory.StartNew"] = "ends after the warm-up",
        ["Reloaded.Messaging.Hosting/Streaming/HostStreams.Progress.cs: Task.Run"] = "the call waits for its end",
    };

    /// <summary>The places that continue in the context of the caller, because a pump runs the source of a stream.</summary>
    private static readonly string[] s_inContext =
    [
        "Reloaded.Messaging.Hosting/Streaming/ItemStream.cs", "Reloaded.Messaging.Hosting/Streaming/ItemStream.cs",
        "Reloaded.Messaging.Hosting/Streaming/OutgoingStream.cs", "Reloaded.Messaging.Hosting/Streaming/OutgoingStream.cs", "Reloaded.Messaging.Hosting/Streaming/OutgoingStream.cs",
    ];

    [Fact]
    public void Work_that_may_outlast_its_caller_starts_detached()
    {
        var (found, undetached) = (0, new List<string>());
        var used = new HashSet<string>();
        foreach (var (path, lines) in ReadSources())
        {
            for (var line = 0; line < lines.Length; line++)
            {
                foreach (var call in StartPattern().Matches(lines[line]).Select(static match => match.Value.TrimEnd('(')))
                {
                    found++;
                    var key = s_allowed.Keys.FirstOrDefault(key => key == path || key == $"{path}: {call}");
                    if (key is not null)
                        used.Add(key);
                    else if (!IsDetached(lines, line, call))
                        undetached.Add($"{path}:{line + 1}: {lines[line].Trim()}");
                }
            }
        }

        Assert.Empty(undetached);
        Assert.Equal(s_allowed.Keys.Order(), used.Order());
        Assert.InRange(found, 10, int.MaxValue);
    }

    [Fact]
    public void Awaits_do_not_continue_in_the_context_of_the_caller_except_in_the_source_of_a_stream()
    {
        var calls = ReadSources().SelectMany(static source => source.Lines.SelectMany(line => ContextPattern().Matches(line).Select(match => (source.Path, Argument: match.Groups[1].Value)))).ToList();

        Assert.All(calls, static call => Assert.Contains(call.Argument, new[] { "false", "true", "ConfigureAwaitOptions.SuppressThrowing" }));
        Assert.Equal(s_inContext, calls.Where(static call => call.Argument == "true").Select(static call => call.Path));
        Assert.InRange(calls.Count, 100, int.MaxValue);
    }

    private static bool IsDetached(string[] lines, int line, string call) => call == "new Thread"
        ? string.Concat(lines.Skip(line).Take(2)).Contains(".UnsafeStart()", StringComparison.Ordinal)
        : lines[line].Contains("Detached.Start(() => ", StringComparison.Ordinal);

    private static IEnumerable<(string Path, string[] Lines)> ReadSources() =>
        from source in RepositoryFolder.Sources
        from file in Directory.EnumerateFiles(source, "*.cs", SearchOption.AllDirectories)
        let path = Path.GetRelativePath(source, file).Replace('\\', '/')
        let parts = path.Split('/')
        where !s_others.Contains(parts[0]) && !parts.Contains("obj") && !parts.Contains("bin")
        orderby path
        select (path, File.ReadAllLines(file).Select(static line => CommentPattern().Replace(line, "")).ToArray());

    [GeneratedRegex(@"\bTask\.Run\(|Task\.Factory\.StartNew\(|\bnew Timer\(|\bCreateTimer\(|\bThreadPool\.(QueueUserWorkItem|RegisterWaitForSingleObject)\(|\bnew Thread\(|\b(\w*[tT]oken|_?canceled|\w*stopping)\.Register\(")]
    private static partial Regex StartPattern();

    [GeneratedRegex(@"\.ConfigureAwait\(([^)]*)\)")]
    private static partial Regex ContextPattern();

    [GeneratedRegex(@"^\s*//.*$")]
    private static partial Regex CommentPattern();
}
