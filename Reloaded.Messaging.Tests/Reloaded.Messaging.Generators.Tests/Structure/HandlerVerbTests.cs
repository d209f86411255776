using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Structure;

/// <summary>A handler is given to a host by a method whose name begins with "On". Only a dispatcher registers handlers.</summary>
public sealed class HandlerVerbTests
{
    private const string Dispatcher = "Reloaded.Messaging.MessageDispatcher<T>";

    private static readonly Lazy<List<(string Type, string Method)>> s_methods = new(static () => [.. RepositoryFolder.Tests
        .SelectMany(static folder => Directory.EnumerateFiles(folder, "*.approved.txt", SearchOption.AllDirectories))
        .Where(static file => Path.GetFileName(Path.GetDirectoryName(file)) == "PublicSurface" && !file.Replace('\\', '/').Contains("/bin/", StringComparison.Ordinal))
        .SelectMany(ReadMethods)]);

    [Fact]
    public void Methods_that_give_a_handler_to_a_host_are_named_On()
    {
        Assert.InRange(s_methods.Value.Count, 40, 200);
        Assert.DoesNotContain(s_methods.Value, static method => method.Type != Dispatcher && !Regex.IsMatch(method.Method, "^On([A-Z]|$)"));
    }

    [Fact]
    public void Methods_of_a_dispatcher_are_named_Register() =>
        Assert.All(s_methods.Value.Where(static method => method.Type == Dispatcher), static method => Assert.StartsWith("Register", method.Method, StringComparison.Ordinal));

    /// <summary>The methods of an approved list that take a handler and return its registration.</summary>
    private static IEnumerable<(string Type, string Method)> ReadMethods(string file)
    {
        var type = "";
        foreach (var line in File.ReadLines(file))
        {
            if (line.Length > 0 && line[0] != ' ')
                type = Regex.Match(line, @"Reloaded\.Messaging[\w.]*(<[^>]*>)?").Value;
            else if (Regex.Match(line, @"^ +(?:static |virtual |abstract )*HandlerRegistration (\w+)[<(].* handler[,)]") is { Success: true } method)
                yield return (type, method.Groups[1].Value);
        }
    }
}
