using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

// A Unix socket that only this user can open. MessageEndpoint.Tcp, Udp, Pipe and others take its place without other changes.
await using var server = await MessageHost.ListenAsync(MessageEndpoint.Local("greetings"), host =>
{
    host.OnRequest((Greet request) =>
    {
        host.Broadcast(new Greeted(request.Name));
        return new Greeting($"Hello, {request.Name}!");
    });

    host.PeerConnected += peer => Console.WriteLine($"{peer} connected.");
    host.PeerDisconnected += (peer, reason) => Console.WriteLine($"{peer} disconnected: {reason}.");
    host.HandlerFailed += failure => Console.Error.WriteLine(failure.Exception); // the program and the connection continue
});

Console.WriteLine($"Listening at {server.Endpoint}. Press Enter to stop.");
Console.ReadLine();
