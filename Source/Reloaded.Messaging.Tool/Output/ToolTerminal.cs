using System.Threading.Channels;

namespace Reloaded.Messaging.Tool;

/// <summary>The terminal of the standard output.</summary>
internal abstract class ToolTerminal
{
    /// <summary>The number of columns and of lines, each at least 1.</summary>
    public abstract (int Width, int Height) Size { get; }

    /// <summary>Whether the terminal knows the control sequences of ECMA-48.</summary>
    public abstract bool KnowsSequences { get; }

    /// <summary>Begins to read the keys that the user presses, and a key without a meaning for each change of the size. Call it once.</summary>
    public abstract ChannelReader<ConsoleKeyInfo> ReadKeys();
}
