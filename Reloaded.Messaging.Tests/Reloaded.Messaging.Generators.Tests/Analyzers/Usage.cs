namespace Reloaded.Messaging.Tests.Analyzers;

/// <summary>The code around the code that a test is about.</summary>
internal static class Usage
{
    private const string Usings = """
        using System;
        using System.Collections.Generic;
        using System.Threading.Tasks;
        using Reloaded.Messaging;

        """;

    /// <summary>A type with a writer and what else a message goes to, and the given members.</summary>
    public static string Members(string members) => Usings + $$"""
        internal readonly record struct Move(int X);

        internal sealed class Player
        {
            private static readonly MessageContract<Move> s_contract = new(3, new BlittableSerializer<Move>());
            private static readonly MessageWriter writer = new();
            private readonly MessageQueue<int> _queue = new(8);
            private readonly MessageDispatcher<int> _dispatcher = new();
            private readonly List<PackedMessage> _list = new();
            private PackedMessage _kept;
            private IDisposable? _registration;

            private static PackedMessage Pack(int x) => writer.Pack(s_contract, new Move(x));
            private static async Task<PackedMessage> PackAsync(int x) { await Task.Yield(); return Pack(x); }
            private static void Send(PackedMessage message) => message.Dispose();
            private static void Read(ReadOnlySpan<byte> bytes) { }
            private static void Handle(in Move move, ref int state) { }

        {{members}}
        }

        """;

    /// <summary>A method of that type, with the given statements.</summary>
    public static string Body(string statements) => Members($$"""
        private void Test(bool condition, int count)
        {
        {{statements}}
        }
        """);

    /// <summary>A program of the given top-level statements.</summary>
    public static string Program(string statements) => Usings + statements;
}
