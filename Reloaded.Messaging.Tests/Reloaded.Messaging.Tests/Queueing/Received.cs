namespace Reloaded.Messaging.Tests.Queueing;

/// <summary>A pump's state that writes down what it was told and what came.</summary>
internal sealed class Received : IPumpState<string>
{
    public List<(string Sender, int Number)> Messages { get; } = [];

    public string Sender { get; private set; } = "";

    public void SetSender(string sender) => Sender = sender;

    public static MessageDispatcher<Received> CreateDispatcher()
    {
        var dispatcher = new MessageDispatcher<Received>();
        dispatcher.Register(Numbered.Contract, static (in Numbered message, ref Received state) => state.Messages.Add((state.Sender, message.Number)));
        return dispatcher;
    }

    public static int[] Drain(MessageQueue<string> queue)
    {
        var state = new Received();
        queue.Pump(CreateDispatcher(), ref state, PumpBudget.All);
        return state.Messages.ConvertAll(static message => message.Number).ToArray();
    }
}
