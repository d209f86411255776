using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Receives a mistake that the parser found. The analyzer reports it. The generator only needs to know that there is a mistake.</summary>
internal delegate void Fault(DiagnosticDescriptor rule, ISymbol where, params object[] arguments);
