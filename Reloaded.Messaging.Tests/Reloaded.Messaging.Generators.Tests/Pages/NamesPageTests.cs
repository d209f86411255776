using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

/// <summary>docs/internals/names.md has each name for which the sources have a literal.</summary>
public sealed class NamesPageTests
{
    [Theory]
    [InlineData(@"GetEnvironmentVariable\(""(\w+)""", 2)]
    [InlineData(@"const string \w*(?:Extension|Ending) = ""(\.\w+)""", 2)]
    [InlineData(@"path \+ ""(\.\w+)""", 1)]
    [InlineData(@"AddSource\(""(\w+)\.g\.cs""", 3)]
    [InlineData(@"const string (?:Generated|Declaration|MeterName|SourceName|PoisonSwitch) = ""([\w.]+)""", 4)]
    [InlineData(@"""(reloaded-messaging)""", 1)]
    public void Literal_of_the_sources_is_on_the_page(string pattern, int least) => HeldTables.CheckNames("docs/internals/names.md", "Source/", pattern, least);
}
