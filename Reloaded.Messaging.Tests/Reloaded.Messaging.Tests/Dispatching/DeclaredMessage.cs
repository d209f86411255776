namespace Reloaded.Messaging.Tests.Dispatching;

internal readonly record struct DeclaredMessage(int Number)
{
    public static readonly MessageContract<DeclaredMessage> Contract =
        new MessageContract<DeclaredMessage>(9, new BlittableSerializer<DeclaredMessage>()).Declare();
}
