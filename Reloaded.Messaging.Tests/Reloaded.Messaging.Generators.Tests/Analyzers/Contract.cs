using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Analyzers;

/// <summary>Messages that the contract analyzer looks at.</summary>
internal static class Contract
{
    private const string Usings = """
        using System;
        using System.Collections.Generic;
        using System.IO;
        using System.Runtime.InteropServices;
        using Reloaded.Messaging;

        """;

    /// <summary>Expects the rule at each mark, and nothing else.</summary>
    public static Task<ImmutableArray<Diagnostic>> Expect(string id, string code) => AnalyzerRunner.Expect(new MessageContractAnalyzer(), id, Usings + code);

    /// <summary>Expects no report.</summary>
    public static Task Accept(string code) => Expect("", code);
}
