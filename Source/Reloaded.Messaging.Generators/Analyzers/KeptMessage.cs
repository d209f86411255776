using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>A packed message that was put into a local without <c>using</c>.</summary>
/// <param name="Value">The expression: the call, or what awaits it.</param>
/// <param name="Call">The call that returned it.</param>
/// <param name="Local">Where it is kept.</param>
internal sealed record KeptMessage(IOperation Value, IInvocationOperation Call, ILocalSymbol Local);
