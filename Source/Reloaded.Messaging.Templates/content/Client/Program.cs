using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

Console.WriteLine("Connecting to the server, which has to run in another terminal.");

// Waits for the server, and connects again when it was restarted.
var options = new MessageHostOptions { Reconnect = new ReconnectOptions() };
await using var client = await MessageHost.ConnectAsync(
    MessageEndpoint.Local("greetings"),
    host => host.On((Greeted message) => Console.WriteLine($"{message.Name} was greeted.")),
    options);

Greeting reply = await client.RequestAsync(new Greet(Environment.UserName));
Console.WriteLine(reply.Text);
Console.WriteLine("Press Enter to stop.");
Console.ReadLine();
