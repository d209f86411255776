namespace Reloaded.Messaging.Tests.Dispatching;

internal sealed class ModTextHandler : IMessageHandler<ModText, int>
{
    public void Handle(in ModText message, ref int state) => state += message.Text.Length;
}
