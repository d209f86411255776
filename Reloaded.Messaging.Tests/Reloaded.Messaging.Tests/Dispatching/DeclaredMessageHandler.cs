namespace Reloaded.Messaging.Tests.Dispatching;

internal sealed class DeclaredMessageHandler : IMessageHandler<DeclaredMessage, List<string>>
{
    public void Handle(in DeclaredMessage message, ref List<string> state) => state.Add($"object {message.Number}");
}
