using Reloaded.Messaging;

// The messages of the server and of its clients. Both projects compile this code; in a larger program, put it into a class library.

/// <summary>Asks for a greeting.</summary>
[Message(1)]
public sealed record Greet(string Name) : IRequest<Greeting>;

/// <summary>The reply.</summary>
[Message(2)]
public sealed record Greeting(string Text);

/// <summary>Tells everybody that somebody was greeted.</summary>
[Message(3)]
public sealed record Greeted(string Name);
