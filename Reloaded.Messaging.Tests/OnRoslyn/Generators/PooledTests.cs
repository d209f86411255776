using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>What was rented for a message goes back once, also for bytes that end or go wrong in the middle of it.</summary>
public sealed class PooledTests
{
    [Theory]
    [InlineData("public List<List<string>>? A { get; set; }", "2, 3, 2, 65", "A list in a list ends early")]
    [InlineData("public Dictionary<string, List<string>>? A { get; set; }", "2, 2, 65, 3, 2, 65", "A list in a dictionary ends early")]
    [InlineData("public Dictionary<int, List<string>>? A { get; set; }", "3, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1", "A key is there twice")]
    [InlineData("public List<string>[]? A { get; set; }", "3, 1, 3, 2, 65", "A list in an array ends early")]
    [InlineData("public List<Dictionary<int, List<string>>>? A { get; set; }", "2, 2, 0, 0, 0, 0, 3, 2, 65", "Three deep")]
    [InlineData("public List<Inner>? A { get; set; }", "2, 6, 4, 2, 65, 2, 66", "A message in a list ends early")]
    [InlineData("public Inner? A { get; set; } public List<string>? B { get; set; }", "3, 2, 2, 65, 9", "What is behind ends early")]
    [InlineData("public List<string>? A { get; set; } public bool B { get; set; }", "2, 2, 65, 7", "What is behind is refused")]
    public void What_was_rented_before_a_payload_failed_goes_back(string members, string payload, string what)
    {
        var code = Sources.Running(
            """$"{Fails()} {InstancePool<List<string>>.TryRent(out _)} {InstancePool<M>.TryRent(out _)}" """,
            $$"""
            [Message(Pooled = true)] public class M { {{members}} }
            [Message(Pooled = true)] public class Inner { public List<string>? Items { get; set; } }
            """).Replace("private static T Trip", $$"""
            private static bool Fails()
            {
                var serializer = (IPooledMessageSerializer<M>)global::Reloaded.Messaging.Generated.MSerializer.Contract.Serializer;
                while (InstancePool<List<string>>.TryRent(out _)) { }
                while (InstancePool<M>.TryRent(out _)) { }
                return !serializer.TryDeserializePooled(new byte[] { {{payload}} }, out var value) && value is null;
            }

            private static T Trip
            """);
        Assert.True(Run(code) == "True True True", what);
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

    private static string Run(string code) => GeneratorRunner.Run(GeneratorRunner.Emit(GeneratorRunner.Compile(code)));
}
