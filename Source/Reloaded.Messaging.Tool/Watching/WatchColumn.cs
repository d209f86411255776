namespace Reloaded.Messaging.Tool;

/// <summary>A column of numbers in a table of <c>watch</c>, at the right side of its cells.</summary>
/// <param name="Header">The header.</param>
/// <param name="Width">The number of cells.</param>
/// <param name="Describe">Returns the text of a row.</param>
internal sealed record WatchColumn<T>(string Header, int Width, Func<T, string> Describe);
