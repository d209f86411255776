using System;
using System.IO;
using System.Linq;
using Reloaded.Messaging;
using Xunit;

namespace Reloaded.Messaging.Tests.Readme;

/// <summary>Compiles and runs the README's snippet of the core: its lines are below, in the same order.</summary>
public sealed class ReadmeSnippetTests
{
    // Both sides use the same type. The compiler generates its contract.
    [Message(3)]
    public readonly record struct Move(float X, float Y, float Z);

    [Fact]
    public void Snippet_packs_13_bytes_and_handler_receives_the_move()
    {
        var player = default(Player);

        // Send. The packed message is 13 bytes: 03, then the struct.
        var writer = new MessageWriter();
        using var packed = writer.Pack(new Move(1, 2, 3));

        // Receive. The state belongs to the program, such as the sending player.
        var dispatcher = new MessageDispatcher<Player>();
        dispatcher.Register<Move>(static (in move, ref who) => who.Position = move);
        var status = dispatcher.Dispatch(packed.Span, ref player); // Handled

        Assert.Equal(DispatchStatus.Handled, status);
        Assert.Equal(new Move(1, 2, 3), player.Position);
        Assert.Equal(13, packed.Length);
        Assert.Equal(3, packed.Span[0]);
    }

    [Fact]
    public void Readme_shows_the_lines_that_are_compiled_here()
    {
        var folder = Path.Combine(AppContext.BaseDirectory, "Readme");
        var readme = File.ReadAllText(Path.Combine(folder, "README.md")).ReplaceLineEndings("\n");
        var snippet = Assert.Single(readme.Split("```"), static block => block.StartsWith("csharp\n", StringComparison.Ordinal) && block.Contains("new MessageWriter()", StringComparison.Ordinal))["csharp\n".Length..];
        var compiled = File.ReadAllLines(Path.Combine(folder, "ReadmeSnippetTests.cs.txt")).Select(static line => line.Trim()).ToList();

        var position = 0;
        var lines = snippet.Split('\n').Select(static line => line.Trim()).Where(static line => line.Length > 0).ToList();
        Assert.InRange(lines.Count, 10, 15);
        foreach (var line in lines)
        {
            position = compiled.IndexOf(line, position) + 1;
            Assert.True(position > 0, $"README shows a line that is not compiled here, or not in this order: {line}");
        }
    }

    private struct Player
    {
        public Move Position;
    }
}
