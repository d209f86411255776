using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>A packed message that is stored in a local without <c>using</c>.</summary>
/// <param name="Value">The expression: the call, or the <c>await</c> of the call.</param>
/// <param name="Call">The call that returned the message.</param>
/// <param name="Local">The local that stores the message.</param>
internal sealed record KeptMessage(IOperation Value, IInvocationOperation Call, ILocalSymbol Local);
