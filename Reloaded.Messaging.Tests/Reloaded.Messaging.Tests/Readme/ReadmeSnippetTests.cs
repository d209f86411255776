using System;
using System.IO;
using System.Linq;
using Reloaded.Messaging;
using Xunit;

namespace Reloaded.Messaging.Tests.Readme;

/// <summary>The README's snippet, compiled and run: its lines stand below, in its order.</summary>
public sealed class ReadmeSnippetTests
{
    // What both ends share: the compiler writes the contract.
    [Message(3)]
    public readonly record struct Move(float X, float Y, float Z);

    [Fact]
    public void The_snippet_packs_thirteen_bytes_and_the_handler_sees_the_move()
    {
        var player = default(Player);

        // Send. The packed message is 13 bytes: 03, then the struct.
        var writer = new MessageWriter();
        using var packed = writer.Pack(new Move(1, 2, 3));

        // Receive. The state is yours: who sent it, what it acts on.
        var dispatcher = new MessageDispatcher<Player>();
        dispatcher.Register<Move>(static (in move, ref who) => who.Position = move);
        var status = dispatcher.Dispatch(packed.Span, ref player); // Handled

        Assert.Equal(DispatchStatus.Handled, status);
        Assert.Equal(new Move(1, 2, 3), player.Position);
        Assert.Equal(13, packed.Length);
        Assert.Equal(3, packed.Span[0]);
    }

    [Fact]
    public void The_readme_shows_what_is_compiled_here()
    {
        var folder = Path.Combine(AppContext.BaseDirectory, "Readme");
        var readme = File.ReadAllText(Path.Combine(folder, "README.md")).ReplaceLineEndings("\n");
        var start = readme.IndexOf("```csharp\n", StringComparison.Ordinal) + "```csharp\n".Length;
        var snippet = readme[start..readme.IndexOf("\n```", start, StringComparison.Ordinal)];
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
