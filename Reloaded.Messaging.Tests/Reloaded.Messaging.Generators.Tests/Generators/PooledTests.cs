using Reloaded.Messaging.CompilerServices;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>What was rented for a message goes back once, also for bytes that end or go wrong in the middle of it.</summary>
public sealed class PooledTests
{
    [Theory]
    [InlineData("public List<List<string>>? A { get; set; }", "2, 3, 2, 65", "A list in a list ends early", 1)]
    [InlineData("public Dictionary<string, List<string>>? A { get; set; }", "2, 2, 65, 3, 2, 65", "A list in a dictionary ends early", 1)]
    [InlineData("public Dictionary<int, List<string>>? A { get; set; }", "3, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1", "A key is there twice", 2)]
    [InlineData("public List<string>[]? A { get; set; }", "3, 1, 3, 2, 65", "A list in an array ends early", 2)]
    [InlineData("public List<Dictionary<int, List<string>>>? A { get; set; }", "2, 2, 0, 0, 0, 0, 3, 2, 65", "Three deep", 1)]
    [InlineData("public List<Inner>? A { get; set; }", "2, 6, 4, 2, 65, 2, 66", "A message in a list ends early", 1)]
    [InlineData("public Inner? A { get; set; } public List<string>? B { get; set; }", "4, 2, 2, 65, 9", "What is behind ends early", 1)]
    [InlineData("public List<string>? A { get; set; } public bool B { get; set; }", "2, 2, 65, 7", "What is behind is refused", 1)]
    public void What_was_rented_before_a_payload_failed_goes_back(string members, string payload, string what, int lists)
    {
        var code = Sources.Running(
            """$"{Fails()} {Lists()} {InstancePool<M>.TryRent(out _)}" """,
            $$"""
            [Message(Pooled = true)] public class M { {{members}} }
            [Message(Pooled = true)] public class Inner { public List<string>? Items { get; set; } }
            """).Replace("private static T Trip", $$"""
            private static int Lists()
            {
                var count = 0;
                while (InstancePool<List<string>>.TryRent(out _))
                    count++;
                return count;
            }

            private static bool Fails()
            {
                var serializer = (IPooledMessageSerializer<M>)global::Reloaded.Messaging.Generated.MSerializer.Contract.Serializer;
                _ = Lists();
                while (InstancePool<M>.TryRent(out _)) { }
                return !serializer.TryDeserializePooled(new byte[] { {{payload}} }, out var value) && value is null;
            }

            private static T Trip
            """);
        Assert.Equal($"{what}: True {lists} True", $"{what}: {Run(code)}");
    }

    [Fact]
    public void A_collection_that_two_members_show_goes_back_once()
    {
        var code = Sources.Running(
            """$"{ReferenceEquals(First, Second)} {First.Count}" """,
            "[Message(Pooled = true)] public class M { public List<int>? New { get; set; } public List<int>? Old { get => New; set => New = value; } }").Replace("private static T Trip", """
            private static List<int> First = null!, Second = null!;

            static Test()
            {
                var serializer = (IPooledMessageSerializer<M>)global::Reloaded.Messaging.Generated.MSerializer.Contract.Serializer;
                serializer.TryDeserializePooled(new byte[] { 2, 1, 0, 0, 0, 2, 1, 0, 0, 0 }, out var value);
                serializer.Return(value!);
                First = PooledCollections.RentList<int>(1);
                Second = PooledCollections.RentList<int>(1);
            }

            private static T Trip
            """);
        Assert.Equal("False 0", Run(code));
    }

    [Fact]
    public void A_collection_that_a_getter_shows_in_place_of_null_is_not_taken()
    {
        var code = Sources.Running(
            """$"{M.None.Count} {ReferenceEquals(PooledCollections.RentList<int>(0), M.None)} {PooledCollections.RentList<int>(0).Count}" """,
            """
            [Message(Pooled = true)] public class M
            {
                public static readonly List<int> None = new List<int> { 1, 2, 3 };
                private List<int>? _a;
                public List<int>? A { get => _a ?? None; set => _a = value; }
            }
            """).Replace("private static T Trip", """
            static Test()
            {
                var serializer = (IPooledMessageSerializer<M>)global::Reloaded.Messaging.Generated.MSerializer.Contract.Serializer;
                serializer.TryDeserializePooled(new byte[] { 0 }, out var missing);
                serializer.TryDeserializePooled(new byte[] { 2, 5, 0, 0, 0 }, out var there);
                serializer.Return(there!);
                serializer.Return(missing!);
            }

            private static T Trip
            """);
        Assert.Equal("3 False 0", Run(code));
    }

    [Fact]
    public void A_struct_with_a_list_shares_none_with_another_instance()
    {
        var code = Sources.Running(
            """$"{Second.Held.Items?.Count ?? 0} {Second.Maybe?.Items?.Count ?? 0} {Second.Number.A}" """,
            """
            [Message(Pooled = true)] public class M
            {
                public Holds Held { get; set; } = new Holds { Items = new List<int>() };
                public Holds? Maybe { get; set; } = new Holds { Items = new List<int>() };
                public Plain Number { get; set; } = new Plain { A = 7 };
            }
            [Message] public struct Holds { public List<int>? Items; }
            [Message] public struct Plain { public int A; }
            """).Replace("private static T Trip", """
            private static M Second = null!;

            static Test()
            {
                var serializer = (IPooledMessageSerializer<M>)global::Reloaded.Messaging.Generated.MSerializer.Contract.Serializer;
                serializer.TryDeserializePooled(new byte[0], out var first);
                first!.Held.Items?.Add(1);
                first.Maybe?.Items?.Add(1);
                serializer.TryDeserializePooled(new byte[0], out Second!);
            }

            private static T Trip
            """);
        Assert.Equal("0 0 7", Run(code));
    }

    private static string Run(string code) => GeneratorRunner.Run(GeneratorRunner.Emit(GeneratorRunner.Compile(code)));
}
