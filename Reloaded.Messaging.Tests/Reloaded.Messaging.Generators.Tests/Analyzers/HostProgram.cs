namespace Reloaded.Messaging.Tests.Analyzers;

/// <summary>A program with a host, a peer and messages, around the code that a test is about.</summary>
internal static class HostProgram
{
    /// <summary>A method with the given statements.</summary>
    public static string Body(string statements) => Members($$"""
        private static void Test(Peer peer, MessageHost host, IMods mods, Func<Peer, Task> start, bool condition)
        {
            {{statements}}
        }
        """);

    /// <summary>A class with the given members.</summary>
    public static string Members(string members) => $$"""
        using System;
        using System.Collections.Generic;
        using System.Linq;
        using System.Threading;
        using System.Threading.Tasks;
        using Reloaded.Messaging;
        using Reloaded.Messaging.Hosting;

        [Message(3)] internal record Ask : IRequest<Answer>;
        [Message(4)] internal record Answer;
        [Message(5)] internal record Other;
        [Message(6)] internal record Suspend : IRequest;
        [Message(7)] internal record Shape(string Name);
        [Message(8)] internal record Circle(string Name, double Radius) : Shape(Name);
        [Message(9)] internal record LongAnswer(string Text) : Answer;
        [Message(10), MessageUnion(0, typeof(Loaded))] internal abstract record Outcome;
        [Message(11)] internal record Loaded : Outcome;
        [Message(12)] internal record Load : IRequest<Outcome>;
        [Message(13)] internal record Tail : IStreamRequest<Answer>;
        [MessageService] internal interface IMods { Task SuspendAsync(string mod); }

        internal static class Program
        {
            {{members}}
        }
        """;
}
