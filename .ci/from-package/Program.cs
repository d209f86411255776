using System;
using FromPackage;
using Reloaded.Messaging;

var dispatcher = new MessageDispatcher<int>();
using var registration = dispatcher.Register<Greeting>(static (in Greeting greeting, ref int length) => length = greeting.Text.Length);
using var packed = new MessageWriter().Pack(new Greeting("hello"));
var length = 0;
var status = dispatcher.Dispatch(packed.Span, ref length);
Console.WriteLine($"{status}, {length}");
return status == DispatchStatus.Handled && length == 5 ? 0 : 1;

namespace FromPackage
{
    /// <summary>What the generator in the package makes a message of.</summary>
    [Message]
    public sealed record Greeting(string Text);
}
