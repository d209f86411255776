namespace Reloaded.Messaging.Tests.Dispatching;

internal sealed record ModText(string Text);
