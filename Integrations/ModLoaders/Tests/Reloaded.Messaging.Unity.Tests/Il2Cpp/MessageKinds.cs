namespace Reloaded.Messaging.Tests.Il2Cpp;

/// <summary>Messages of every kind, in C# 8.</summary>
internal static class MessageKinds
{
    public const string Source = """
        using System;
        using System.Collections.Generic;
        using System.Threading.Tasks;
        using Reloaded.Messaging;
        using Reloaded.Messaging.Hosting;

        namespace Kinds
        {
            public enum State : byte { Off, On }

            [Message(1)] public struct Move { public float X, Y, Z; }

            [Message(2)]
            public sealed class Player
            {
                public string Name { get; set; } = "";
                public List<Move> Path { get; set; } = new List<Move>();
                public Dictionary<string, int[]> Scores { get; set; } = new Dictionary<string, int[]>();
                public (int Level, State State) Progress { get; set; }
                public DateTimeOffset? LastSeen { get; set; }
                public Guid Id { get; set; }
                [MessageIgnore] public object Tag { get; set; }
            }

            [Message(3, VersionTolerant = true)]
            public sealed class Settings
            {
                [MessageField(1)] public int Volume { get; set; } = 5;
                [MessageField(3, FormerName = "Lang")] public string Language { get; set; } = "en";
            }

            [Message(4, Pooled = true)]
            public sealed class Bag
            {
                public List<Player> Players { get; set; } = new List<Player>();
                [Secret] public byte[] Key { get; set; } = new byte[0];
                [Interned] public string Owner { get; set; } = "";
            }

            [Message(5)]
            [MessageUnion(0, typeof(Loaded))]
            [MessageUnion(1, typeof(Failed))]
            public abstract class Outcome { }
            [Message(6)] public sealed class Loaded : Outcome { public string Id { get; set; } = ""; }
            [Message(7)] public sealed class Failed : Outcome { public string Reason { get; set; } = ""; public int Code; }

            [Message(8)]
            public sealed class Fixed
            {
                public Fixed(int number, string text) { Number = number; Text = text; }
                public int Number { get; }
                public string Text { get; }
            }

            [MessageService]
            public interface IMods
            {
                Task<List<string>> ListAsync(bool onlyLoaded);
                ValueTask SuspendAsync(string mod, Move at);
                event Action<string, State> Changed;
            }
        }
        """;
}
