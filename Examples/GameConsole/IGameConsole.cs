using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace GameConsole;

/// <summary>The console of a game, which a tool in another process uses.</summary>
[MessageService]
public interface IGameConsole
{
    /// <summary>Opens a console: the commands of the tool stream in, and the lines of the game stream out at the same time.</summary>
    IAsyncEnumerable<Line> OpenAsync(IAsyncEnumerable<Command> commands, CancellationToken token = default);

    /// <summary>Bakes the light of a map. It takes seconds, reports its progress, and can be canceled.</summary>
    Task<Baked> BakeAsync(string map, IProgress<BakeStep>? progress = null, CancellationToken token = default);
}

/// <summary>A command of the tool.</summary>
[Message] public sealed record Command(string Text);

/// <summary>A line of the game.</summary>
[Message] public sealed record Line(string Text);

/// <summary>How much of a map is baked.</summary>
[Message] public sealed record BakeStep(int Percent, string Step);

/// <summary>A map whose light is baked.</summary>
[Message] public sealed record Baked(string Map, int Lamps);
