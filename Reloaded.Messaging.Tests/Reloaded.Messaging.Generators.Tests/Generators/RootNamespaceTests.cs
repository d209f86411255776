using Reloaded.Messaging.Generators.Emitting;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

public sealed class RootNamespaceTests
{
    [Theory]
    [InlineData("Game.Mods", "Game.Mods")]
    [InlineData("Game.await.partial.class", "Game.@await.@partial.@class")]
    [InlineData("my-mod.2.x y", "my_mod._2.x_y")]
    [InlineData("a..b", "a.@_.b")]
    [InlineData("", "")]
    public void Each_part_of_a_name_is_an_identifier(string name, string expected) => Assert.Equal(expected, RootNamespace.OfAssembly(name));
}
