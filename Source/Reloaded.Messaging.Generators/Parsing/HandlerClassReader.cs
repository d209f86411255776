using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Finds the handler classes of worker services: classes that implement <c>IEventHandler</c> or <c>IRequestHandler</c>.</summary>
internal static class HandlerClassReader
{
    private const string Package = "Reloaded.Messaging.Extensions.Hosting";

    /// <summary>The builders whose handler classes are found: the sender that their handlers have, and the builder.</summary>
    private static readonly (string From, string Builder)[] s_builders =
    [
        (Names.Peer, Package + ".MessageHostBuilder"),
        ("Reloaded.Messaging.Hosting.RabbitMQ.Origin", Package + ".RabbitMQ.RabbitHostBuilder"),
    ];

    /// <summary>Whether a declaration may be a handler class.</summary>
    public static bool IsCandidate(SyntaxNode node) => node is TypeDeclarationSyntax { BaseList: not null, TypeParameterList: null } and (ClassDeclarationSyntax or RecordDeclarationSyntax);

    /// <summary>Returns the calls that add a class to builders; none if the class is no handler class, or if generated code cannot use it.</summary>
    public static EquatableArray<HandlerClass> Read(GeneratorSyntaxContext context, CancellationToken cancellationToken)
    {
        var found = new List<HandlerClass>();
        if (context.SemanticModel.GetDeclaredSymbol(context.Node, cancellationToken) is INamedTypeSymbol { IsAbstract: false, IsStatic: false, IsGenericType: false, TypeKind: TypeKind.Class } type)
        {
            foreach (var implemented in type.AllInterfaces.Where(IsHandler))
            {
                var arguments = implemented.TypeArguments;
                var from = Names.Full(arguments[arguments.Length - 1]);
                var builder = s_builders.FirstOrDefault(one => one.From == from).Builder;
                var compilation = context.SemanticModel.Compilation;
                if (builder is null || compilation.GetTypeByMetadataName(builder) is null || arguments.OfType<INamedTypeSymbol>().Concat([type]).Any(used => Visibility.FindObstacle(used, compilation) is not null || ForbiddenUse.IsTypeForbidden(used)))
                    continue;
                var types = string.Join(", ", arguments.Take(arguments.Length - 1).Concat([type]).Select(Names.Qualified));
                found.Add(new HandlerClass(builder, $"{(arguments.Length == 2 ? "AddEventHandler" : "AddRequestHandler")}<{types}>()"));
            }
        }

        return new EquatableArray<HandlerClass>([.. found]);
    }

    private static bool IsHandler(INamedTypeSymbol type) =>
        type is { Name: "IEventHandler", TypeArguments.Length: 2 } or { Name: "IRequestHandler", TypeArguments.Length: 3 } && type.ContainingNamespace.ToDisplayString() == Package;
}
