namespace Reloaded.Messaging.Benchmarks.Shapes;

/// <summary>What became of a shape in one library.</summary>
/// <param name="Kind">The kind.</param>
/// <param name="Text">The id of the diagnostic and its text, or the exception.</param>
public sealed record Outcome(OutcomeKind Kind, string Text = "");
