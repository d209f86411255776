namespace Reloaded.Messaging.Tool;

/// <summary>How a text is shown on the screen.</summary>
internal enum Ink
{
    Plain,
    Bold,
    Dim,
    Plot,
    Warning,
    Selected,
}
