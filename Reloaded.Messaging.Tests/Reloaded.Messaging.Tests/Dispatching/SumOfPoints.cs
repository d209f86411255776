namespace Reloaded.Messaging.Tests.Dispatching;

internal sealed class SumOfPoints : IMessageHandler<Point, Tally>
{
    public void Handle(in Point message, ref Tally state) => state.Add(message.X + message.Y);
}
