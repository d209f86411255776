using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Operations;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Finds the values of members in a new instance. A field has this value if the sender did not send it.</summary>
internal sealed class InitialValues
{
    private readonly Compilation _compilation;
    private readonly HashSet<ISymbol> _visited = new(SymbolEqualityComparer.Default);

    // The fields and properties that a constructor uses. Their values are those of the running program.
    private readonly HashSet<ISymbol> _used = new(SymbolEqualityComparer.Default);
    private bool _usesAll;
    private bool _skipsInitializers;

    private InitialValues(Compilation compilation) => _compilation = compilation;

    /// <summary>Reads a constructor, and the constructors that it calls.</summary>
    /// <param name="constructor">The constructor that creates the instance; <c>null</c> if there is none.</param>
    /// <param name="compilation">The compilation.</param>
    public static InitialValues Of(IMethodSymbol? constructor, Compilation compilation)
    {
        var values = new InitialValues(compilation);
        if (constructor is not null)
            values.Visit(constructor);
        return values;
    }

    /// <summary>Adds the value to a field: a constant, or that only the running program knows the value.</summary>
    /// <param name="field">The field.</param>
    /// <param name="member">The member of the field.</param>
    /// <param name="isRequired">Whether C# demands that the member is set. Then code of the program never gives it a value, and only a constant counts.</param>
    public FieldModel AddTo(FieldModel field, Member member, bool isRequired)
    {
        var unknown = isRequired ? field : field with { IsComputed = true, IsInitial = true };
        if (FindState(member) is not { } state)
            return IsNull(field, member) ? field with { IsInitial = !isRequired } : unknown;
        if (!isRequired && (_usesAll || _used.Contains(member.Symbol.OriginalDefinition) || _used.Contains(state.OriginalDefinition)))
            return unknown;
        if ((_skipsInitializers && !isRequired) || InitializerOf(state) is not { } initializer)
            return field;

        // The compiler binds an expression slowly, and most initializers say by their syntax what they are.
        if (initializer is LiteralExpressionSyntax { RawKind: not (int)SyntaxKind.DefaultLiteralExpression, Token.Value: var literal } && (literal is null || IsScalar(field.Type)))
            return literal is null ? field : FieldDefaults.Add(field, literal);
        if (field.Type is { IsCollection: true, MayBeNull: false } && initializer is ImplicitObjectCreationExpressionSyntax { ArgumentList.Arguments.Count: 0, Initializer: null })
            return field;
        var model = _compilation.GetSemanticModel(initializer.SyntaxTree);
        if (model.GetConstantValue(initializer) is { HasValue: true, Value: var constant } && (constant is null || IsScalar(field.Type)))
            return constant is null ? field : FieldDefaults.Add(field, constant);
        if (model.GetSymbolInfo(initializer).Symbol is IFieldSymbol { Name: nameof(string.Empty), ContainingType.SpecialType: SpecialType.System_String })
            return FieldDefaults.Add(field, "");
        return !IsDefault(initializer, field.Type, model) ? unknown : HasComparer(initializer, model) ? field with { IsInitial = !isRequired } : field;
    }

    /// <summary>Reads what a constructor does with the members.</summary>
    private void Visit(IMethodSymbol constructor)
    {
        // The members of a class of another assembly have no source, so their values are unknown.
        var type = constructor.ContainingType;
        if (type.SpecialType != SpecialType.None || !IsOfThisAssembly(type) || !_visited.Add(constructor))
            return;

        // The constructor without parameters that the compiler gives to a struct runs no initializers.
        _skipsInitializers |= type.IsValueType && constructor.IsImplicitlyDeclared;
        var called = FindParameterless(type.IsValueType ? null : type.BaseType);
        switch (constructor.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax())
        {
            case ConstructorDeclarationSyntax declaration:
                var model = _compilation.GetSemanticModel(declaration.SyntaxTree);
                foreach (var instance in model.GetOperation(declaration)?.Descendants().OfType<IInstanceReferenceOperation>() ?? [])
                    ReadUse(instance);
                if (declaration.Initializer is not null)
                    called = model.GetSymbolInfo(declaration.Initializer).Symbol as IMethodSymbol;
                break;
            case TypeDeclarationSyntax declaration:
                // The constructor of a record sets the properties that the compiler makes of its parameters.
                _used.UnionWith(type.OriginalDefinition.GetMembers().Where(static one => one is IPropertySymbol && one.DeclaringSyntaxReferences.Any(static reference => reference.GetSyntax() is ParameterSyntax)));
                if (declaration.BaseList?.Types.OfType<PrimaryConstructorBaseTypeSyntax>().FirstOrDefault() is { } call)
                    called = _compilation.GetSemanticModel(call.SyntaxTree).GetSymbolInfo(call).Symbol as IMethodSymbol;
                break;
        }

        if (called is not null)
            Visit(called);
    }

    /// <summary>Reads a use of the instance in a constructor. A use that is not that of a field or of an automatic property may change all members.</summary>
    private void ReadUse(IInstanceReferenceOperation instance)
    {
        switch (instance)
        {
            case { ReferenceKind: not InstanceReferenceKind.ContainingTypeInstance } or { Parent: IEventReferenceOperation or IInvocationOperation { TargetMethod.MethodKind: MethodKind.Constructor } }:
                break;
            case { Parent: IFieldReferenceOperation { Field: var field } }:
                _used.Add(field.OriginalDefinition);
                break;
            case { Parent: IPropertyReferenceOperation { Property: var property } } when MemberReader.IsPlain(property):
                _used.Add(property.OriginalDefinition);
                break;
            default:
                _usesAll = true;
                break;
        }
    }

    /// <summary>The field or automatic property with the value of a member; <c>null</c> if code of the program computes the value, or if the source is not in the compilation.</summary>
    private ISymbol? FindState(Member member)
    {
        if (!IsOfThisAssembly(member.Symbol.ContainingType))
            return null;
        if (!MemberReader.HasOwnGetter(member))
            return member.Symbol;
        var returned = ReturnedBy(MemberReader.GetterOf(member)?.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax());
        return returned is IdentifierNameSyntax or MemberAccessExpressionSyntax { Expression: ThisExpressionSyntax } &&
            _compilation.GetSemanticModel(returned.SyntaxTree).GetSymbolInfo(returned).Symbol is IFieldSymbol { IsStatic: false } field && IsOfThisAssembly(field.ContainingType)
            ? field
            : null;
    }

    /// <summary>Returns whether a getter with other code gives null: the member may be null, and nothing that the getter uses has a value.</summary>
    private bool IsNull(FieldModel field, Member member) =>
        (field.Type.MayBeNull || field.Type.Kind == WireKind.Nullable) && !_usesAll && IsOfThisAssembly(member.Symbol.ContainingType) &&
        member.Symbol.ContainingType.GetMembers().Where(one => one is IFieldSymbol or IPropertySymbol && MemberReader.Uses(member, one)).All(one => !_used.Contains(one.OriginalDefinition) && InitializerOf(one) is null);

    /// <summary>The expression that a getter returns; <c>null</c> for a getter with other code.</summary>
    private static ExpressionSyntax? ReturnedBy(SyntaxNode? getter) => getter switch
    {
        ArrowExpressionClauseSyntax arrow => arrow.Expression,
        AccessorDeclarationSyntax { ExpressionBody: { } arrow } => arrow.Expression,
        AccessorDeclarationSyntax { Body.Statements: { Count: 1 } statements } => (statements[0] as ReturnStatementSyntax)?.Expression,
        _ => null,
    };

    private static ExpressionSyntax? InitializerOf(ISymbol state) => state.DeclaringSyntaxReferences.FirstOrDefault()?.GetSyntax() switch
    {
        PropertyDeclarationSyntax property => property.Initializer?.Value,
        VariableDeclaratorSyntax variable => variable.Initializer?.Value,
        _ => null,
    };

    /// <summary>The constructor that is called if a constructor names none. It may have optional parameters.</summary>
    private static IMethodSymbol? FindParameterless(INamedTypeSymbol? type) => type?.InstanceConstructors
        .Where(static one => one.Parameters.All(static parameter => parameter.IsOptional || parameter.IsParams))
        .OrderBy(static one => one.Parameters.Length)
        .FirstOrDefault();

    private bool IsOfThisAssembly(INamedTypeSymbol type) => SymbolEqualityComparer.Default.Equals(type.ContainingAssembly, _compilation.Assembly);

    /// <summary>Returns whether a constant can be a value of the type. A constant that a conversion of the program makes a struct cannot, because the schema would have the constant.</summary>
    private static bool IsScalar(WireType type) => type.Kind switch
    {
        WireKind.Fixed => type.Code[0] != '(',
        WireKind.Nullable => IsScalar(type.Element!),
        WireKind.Wrapped => !type.IsReference && (type.Wrapper!.Converter is not null || type.Name is "nint" or "nuint"),
        _ => type.Kind is WireKind.Value or WireKind.Parts or WireKind.String,
    };

    /// <summary>Returns whether an expression is the value that other languages give to a missing field without a default: zero, or an empty collection.</summary>
    private static bool IsDefault(ExpressionSyntax expression, WireType type, SemanticModel model)
    {
        if (expression is PostfixUnaryExpressionSyntax { RawKind: (int)SyntaxKind.SuppressNullableWarningExpression } suppressed)
            return IsDefault(suppressed.Operand, type, model);
        if (expression.Kind() is SyntaxKind.DefaultLiteralExpression or SyntaxKind.DefaultExpression) // of a struct: no constant
            return true;
        if (type.MayBeNull || type.Kind == WireKind.Nullable)
            return false;
        var isCollection = type.IsCollection;
        if (IsEmptyCollectionExpression(expression))
            return isCollection;
        return (expression, model.GetSymbolInfo(expression).Symbol) switch
        {
            (ArrayCreationExpressionSyntax { Type.RankSpecifiers: var ranks, Initializer: null }, _) => ranks[0].Sizes.All(size => model.GetConstantValue(size).Value is 0),
            (BaseObjectCreationExpressionSyntax { Initializer: null or { Expressions.Count: 0 } }, IMethodSymbol created) => isCollection
                ? created.Parameters.All(static one => one.Type.SpecialType == SpecialType.System_Int32 || one.Type.Name is "IEqualityComparer" or "IComparer")
                : created.ContainingType.IsValueType && created.IsImplicitlyDeclared && created.Parameters.IsEmpty,
            (_, { IsStatic: true, Name: "Empty" or "Zero", ContainingNamespace: { } space }) => space.ToDisplayString().StartsWith("System", StringComparison.Ordinal),
            _ => false,
        };
    }

    /// <summary>Returns whether an empty collection has a comparer, which a new empty collection lacks.</summary>
    private static bool HasComparer(ExpressionSyntax expression, SemanticModel model) =>
        expression is BaseObjectCreationExpressionSyntax { ArgumentList.Arguments.Count: > 0 } && model.GetSymbolInfo(expression).Symbol is IMethodSymbol created &&
        created.Parameters.Any(static one => one.Type.SpecialType != SpecialType.System_Int32);

    // Roslyn 4.3 has no class for "[]".
    private static bool IsEmptyCollectionExpression(ExpressionSyntax expression) =>
        expression.GetFirstToken() is var first && first.IsKind(SyntaxKind.OpenBracketToken) && first.GetNextToken() == expression.GetLastToken();
}
