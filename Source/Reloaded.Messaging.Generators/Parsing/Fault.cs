using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>What the parser says about a mistake: the analyzer reports it, the generator only has to know that there is one.</summary>
internal delegate void Fault(DiagnosticDescriptor rule, ISymbol where, params object[] arguments);
