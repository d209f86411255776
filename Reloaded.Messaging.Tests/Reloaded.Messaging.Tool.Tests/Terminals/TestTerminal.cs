using System.Threading.Channels;
using Reloaded.Messaging.Tool;

namespace Reloaded.Messaging.Tests.Terminals;

/// <summary>A terminal with a size, whose user has pressed keys.</summary>
internal sealed class TestTerminal(int width = 80, int height = 24) : ToolTerminal
{
    private readonly Channel<ConsoleKeyInfo> _keys = Channel.CreateUnbounded<ConsoleKeyInfo>();

    public override (int Width, int Height) Size => (width, height);

    public override bool KnowsSequences => true;

    public static ConsoleKeyInfo Key(ConsoleKey key, bool shift = false) => new('\0', key, shift, alt: false, control: false);

    public void Press(ConsoleKey key) => _keys.Writer.TryWrite(Key(key));

    public override ChannelReader<ConsoleKeyInfo> ReadKeys() => _keys.Reader;
}
