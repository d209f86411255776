using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class WithoutLibraryTests
{
    public static readonly TheoryData<DiagnosticAnalyzer> Analyzers =
    [
        new UnreleasedMessageAnalyzer(), new ReleasedMessageAnalyzer(), new DroppedRegistrationAnalyzer(), new IgnoredSendStatusAnalyzer(),
        new MessageContractAnalyzer(),
    ];

    [Theory]
    [MemberData(nameof(Analyzers), DisableDiscoveryEnumeration = true)]
    public async Task Code_that_does_not_use_the_library_is_left_alone(DiagnosticAnalyzer analyzer)
    {
        var found = await AnalyzerRunner.Run(
            analyzer,
            """
            public struct PackedMessage : System.IDisposable
            {
                public int Length => 0;
                public void Dispose() { }
                public static PackedMessage Pack() => default;
                public static void Use() { Pack(); var packed = Pack(); packed.Dispose(); packed.Dispose(); }
            }
            """,
            OutputKind.DynamicallyLinkedLibrary,
            withLibrary: false);

        Assert.Empty(found);
    }
}
