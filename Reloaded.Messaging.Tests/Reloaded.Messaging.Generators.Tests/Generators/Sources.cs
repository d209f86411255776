namespace Reloaded.Messaging.Tests.Generators;

/// <summary>The code around the messages that a test is about.</summary>
internal static class Sources
{
    public const string Usings = """
        using System;
        using System.Collections.Generic;
        using System.Linq;
        using Reloaded.Messaging;
        using Reloaded.Messaging.CompilerServices;

        """;

    /// <summary>Messages, and a test whose result is the given expression. <c>Trip</c> sends a value and gives what arrives.</summary>
    public static string Running(string result, string messages) => $$"""
        {{Usings}}
        {{messages}}
        public static class Test
        {
            public static string Run() => System.FormattableString.Invariant({{result}});

            private static T Trip<T>(T value)
            {
                var dispatcher = new MessageDispatcher<T>();
                _ = dispatcher.Register<T>(static (in T message, ref T state) => state = message);
                using var packed = new MessageWriter().Pack(value);
                T result = default!;
                var status = dispatcher.Dispatch(packed.Span, ref result);
                return status == DispatchStatus.Handled ? result : throw new System.InvalidOperationException(status.ToString());
            }

            // Fields that were sent by a sender who knew fewer: none, or the first bytes.
            private static T Read<T>(MessageContract<T> contract, params byte[] payload) =>
                contract.Serializer.TryDeserialize(payload, out var value) ? value : throw new System.InvalidOperationException("refused");
        }
        """;
}
