using System.IO;

namespace Reloaded.Messaging.Tool;

/// <summary>The streams of the tool.</summary>
/// <param name="Input">The standard input, for <c>decode -</c>.</param>
/// <param name="Output">The results.</param>
/// <param name="Error">Errors, one line each.</param>
/// <param name="IsTerminal">Whether the output is a terminal, in which a table can be drawn again.</param>
internal sealed record ToolConsole(TextReader Input, TextWriter Output, TextWriter Error, bool IsTerminal);
