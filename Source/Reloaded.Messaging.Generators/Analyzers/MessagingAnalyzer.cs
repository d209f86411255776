using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>The base class of the analyzers. An analyzer does nothing in a compilation that does not reference the library.</summary>
public abstract class MessagingAnalyzer : DiagnosticAnalyzer
{
    private readonly string _type;

    /// <param name="type">The full name of the library's type that the rules are about.</param>
    /// <param name="rules">The rules.</param>
    private protected MessagingAnalyzer(string type, params DiagnosticDescriptor[] rules) => (_type, SupportedDiagnostics) = (type, ImmutableArray.Create(rules));

    /// <inheritdoc/>
    public sealed override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; }

    private protected virtual GeneratedCodeAnalysisFlags GeneratedCode => GeneratedCodeAnalysisFlags.None;

    /// <inheritdoc/>
    public sealed override void Initialize(AnalysisContext context)
    {
        context.EnableConcurrentExecution();
        context.ConfigureGeneratedCodeAnalysis(GeneratedCode);
        context.RegisterCompilationStartAction(start =>
        {
            if (start.Compilation.GetTypeByMetadataName(_type) is { } type)
                Start(start, type);
        });
    }

    /// <summary>Registers the actions for a compilation.</summary>
    private protected abstract void Start(CompilationStartAnalysisContext start, INamedTypeSymbol type);
}
