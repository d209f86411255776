using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Simplification;

namespace Reloaded.Messaging.Generators.CodeFixes;

/// <summary>RM2007: makes the lambda asynchronous and awaits the call. A lambda with a parameter by reference has no fix, because it cannot be asynchronous.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(AwaitInHandlerFix))]
public sealed class AwaitInHandlerFix() : MessagingFix("RM2007", "Await the call")
{
    private protected override Func<CancellationToken, Task<Solution>>? Find(FixPlace place, CancellationToken cancellationToken)
    {
        if (place.Node.FirstAncestorOrSelf<ExpressionSyntax>() is not { } call || call.FirstAncestorOrSelf<LambdaExpressionSyntax>() is not { } lambda)
            return null;
        if (lambda is ParenthesizedLambdaExpressionSyntax { ParameterList.Parameters: var parameters } && parameters.Any(static parameter => parameter.Modifiers.Any()))
            return null;
        if (call is ConditionalAccessExpressionSyntax) // awaiting null throws
            return null;

        var awaited = SyntaxFactory.AwaitExpression(SyntaxFactory.Token(SyntaxKind.AwaitKeyword).WithTrailingTrivia(SyntaxFactory.Space), call.WithoutTrivia()).WithTriviaFrom(call);
        var changed = lambda.ReplaceNode(call, awaited);
        var keyword = SyntaxFactory.Token(SyntaxKind.AsyncKeyword).WithTrailingTrivia(SyntaxFactory.Space);
        LambdaExpressionSyntax replacement = changed.WithoutLeadingTrivia() switch
        {
            SimpleLambdaExpressionSyntax simple => simple.WithAsyncKeyword(keyword),
            ParenthesizedLambdaExpressionSyntax parenthesized => parenthesized.WithAsyncKeyword(keyword),
            var other => other,
        };
        return _ => place.Replace(lambda, replacement.WithLeadingTrivia(lambda.GetLeadingTrivia()));
    }
}

/// <summary>RM2008: names the types of the call, if the lambda returns a type that is derived from the declared reply.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(DeclaredReplyFix))]
public sealed class DeclaredReplyFix() : MessagingFix("RM2008", "Reply with the declared type")
{
    private protected override Func<CancellationToken, Task<Solution>>? Find(FixPlace place, CancellationToken cancellationToken)
    {
        if (place.Node.FirstAncestorOrSelf<InvocationExpressionSyntax>() is not { ArgumentList.Arguments.Count: 1 } call ||
            call.ArgumentList.Arguments[0].Expression is not LambdaExpressionSyntax lambda ||
            place.Node is not SimpleNameSyntax name ||
            place.Model.GetSymbolInfo(call, cancellationToken).Symbol is not IMethodSymbol { Arity: 2 } method ||
            place.Model.GetSymbolInfo(lambda, cancellationToken).Symbol is not IMethodSymbol function ||
            FindDeclared(method.TypeArguments[0]) is not { } declared ||
            place.Model.Compilation.ClassifyCommonConversion(method.TypeArguments[1], declared) is not { IsImplicit: true, IsReference: true })
        {
            return null;
        }

        // A lambda that returns a task of the derived type does not convert.
        if (!function.IsAsync && !SymbolEqualityComparer.Default.Equals(function.ReturnType, method.TypeArguments[1]))
            return null;
        var types = SyntaxFactory.TypeArgumentList(SyntaxFactory.SeparatedList(new[] { TypeOf(method.TypeArguments[0]), TypeOf(declared) }));
        var replacement = SyntaxFactory.GenericName(name.Identifier.WithoutTrivia(), types).WithTriviaFrom(name);
        return _ => place.Replace(name, replacement);

        TypeSyntax TypeOf(ITypeSymbol type) => SyntaxFactory.ParseTypeName(type.ToMinimalDisplayString(place.Model, name.SpanStart));
    }

    private static ITypeSymbol? FindDeclared(ITypeSymbol request)
    {
        var declared = request.AllInterfaces.Where(static one => one is { Name: "IRequest", ContainingNamespace.Name: "Messaging" }).ToList();
        return declared.Count == 1 ? declared[0].TypeArguments.FirstOrDefault() : null;
    }
}

/// <summary>RM2009: changes the result of a handler's method from <c>void</c> to <c>Task</c>. Other callbacks than handlers have no form with a task.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(AsyncHandlerFix))]
public sealed class AsyncHandlerFix() : MessagingFix("RM2009", "Return a task")
{
    private protected override Func<CancellationToken, Task<Solution>>? Find(FixPlace place, CancellationToken cancellationToken)
    {
        if (place.Node.FirstAncestorOrSelf<InvocationExpressionSyntax>() is not { } call ||
            place.Model.GetSymbolInfo(call, cancellationToken).Symbol is not IMethodSymbol { Name: "On" or "OnRequest" } ||
            place.Model.GetSymbolInfo(Unwrap(place.Node), cancellationToken).Symbol is not IMethodSymbol { DeclaringSyntaxReferences.Length: 1 } function)
        {
            return null;
        }

        var result = function.DeclaringSyntaxReferences[0].GetSyntax(cancellationToken) switch
        {
            MethodDeclarationSyntax method => method.ReturnType,
            LocalFunctionStatementSyntax local => local.ReturnType,
            _ => null,
        };
        var solution = place.Document.Project.Solution;
        if (result is null || solution.GetDocument(result.SyntaxTree) is not { } document)
            return null;
        return async token =>
        {
            var root = await result.SyntaxTree.GetRootAsync(token).ConfigureAwait(false);
            var task = SyntaxFactory.ParseTypeName("global::System.Threading.Tasks.Task").WithTriviaFrom(result).WithAdditionalAnnotations(Simplifier.Annotation, Simplifier.AddImportsAnnotation);
            return document.WithSyntaxRoot(root.ReplaceNode(result, task)).Project.Solution;
        };
    }

    private static SyntaxNode Unwrap(SyntaxNode node) => node is ArgumentSyntax argument ? argument.Expression : node;
}

/// <summary>RM2011: removes the type argument, so that the message is sent as its own type. A type that is no message has no fix.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(OwnTypeFix))]
public sealed class OwnTypeFix() : MessagingFix("RM2011", "Send it as its own type")
{
    private protected override Func<CancellationToken, Task<Solution>>? Find(FixPlace place, CancellationToken cancellationToken)
    {
        var message = place.Node is ArgumentSyntax argument ? argument.Expression : place.Node as ExpressionSyntax;
        if (message is not { Parent: ArgumentSyntax { Parent.Parent: InvocationExpressionSyntax call } } ||
            place.Model.GetTypeInfo(message, cancellationToken) is not { Type: { } type, ConvertedType: { } converted } ||
            SymbolEqualityComparer.Default.Equals(type, converted) ||
            !type.GetAttributes().Any(static one => one.AttributeClass is { Name: "MessageAttribute" }) ||
            call.Expression is not MemberAccessExpressionSyntax { Name: GenericNameSyntax { TypeArgumentList.Arguments.Count: 1 } name })
        {
            return null;
        }

        return _ => place.Replace(name, SyntaxFactory.IdentifierName(name.Identifier.WithoutTrivia()).WithTriviaFrom(name));
    }
}
