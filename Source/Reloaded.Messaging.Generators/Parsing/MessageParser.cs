using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Converts a type marked with <c>[Message]</c> to its model. The generator and the analyzer use it, so the rules exist only here.</summary>
internal sealed class MessageParser
{
    private const int LargestNumber = (1 << 28) - 1;

    private readonly INamedTypeSymbol _type;
    private readonly AttributeData _attribute;
    private readonly Compilation _compilation;
    private readonly Fault _report;
    private bool _failed;

    private MessageParser(INamedTypeSymbol type, AttributeData attribute, Compilation compilation, Fault? report)
    {
        _type = type;
        _attribute = attribute;
        _compilation = compilation;
        _report = (rule, where, arguments) =>
        {
            _failed = true;
            report?.Invoke(rule, where, arguments);
        };
    }

    /// <returns>The model, or <c>null</c> if the type cannot be a message. In that case at least one fault was reported, here or by the compiler.</returns>
    public static MessageModel? Parse(INamedTypeSymbol type, AttributeData attribute, Compilation compilation, Fault? report)
    {
        if (!Names.AreTyped(type))
            return null;
        var parser = new MessageParser(type, attribute, compilation, report);
        if (GenericMessages.IsOpen(type))
        {
            parser.CheckOpen();
            return null;
        }

        var model = parser.Parse();
        return parser._failed ? null : model;
    }

    private MessageModel? Parse()
    {
        var id = MessageIds.Read(_type, _attribute);
        if (id is < 0 or > MessageIds.Largest)
            _report(ContractRules.IdOutOfRange, _type, _type.Name, id);
        CheckSettings();
        if (!CheckType())
            return null;

        var cases = UnionReader.Read(_type, _compilation, _report);
        _failed |= _type.IsAbstract && cases.Count == 0; // the compiler reports an attribute that is not complete
        var isTolerant = Names.Argument(_attribute, "VersionTolerant", false);
        var members = _type.IsAbstract ? [] : MemberReader.Read(_type, _compilation);
        if (!isTolerant && HasUnstableOrder(members))
            _report(ContractRules.UnstableOrder, _type, _type.Name);
        if (!_type.IsAbstract && UnsentContents.HasItems(_type, members))
            _report(ContractRules.UnsupportedMessage, _type, _type.Name, "its items are not sent; declare a member with the items");

        var fields = ReadFields(members, isTolerant);
        var plan = _type.IsAbstract ? ConstructionPlan.Setters : ConstructionReader.Read(_type, members, _compilation, _report);
        fields = FieldDefaults.Add(fields, members, plan, _compilation);
        var isPooled = Names.Argument(_attribute, "Pooled", false);
        if (isPooled && (cases.Count > 0 || plan.Kind != Construction.Setters || _type.IsValueType))
            _report(ContractRules.NotPoolable, _type, _type.Name);

        var compressor = Names.Argument<ITypeSymbol?>(_attribute, "Compressor", null);
        if (compressor is not null && !IsCompressor(compressor))
            _report(ContractRules.NotACompressor, _type, compressor.Name);

        var isCreatedInside = plan.Constructor is { } constructor && (plan.Initialized.Any(static member => member.IsHidden) || !_compilation.IsSymbolAccessibleWithin(constructor, _compilation.Assembly));
        var callbacks = _type.IsAbstract ? [] : CallbackReader.Read(_type, _compilation, _report);
        var ends = cases.Count == 0 && callbacks.Count == 0 && !isTolerant && fields.Count > 0 && fields.TrueForAll(static field => field is { IsZero: true, Type.IsConverted: false }) ? BlittableEnds(members) : [];
        return new MessageModel(
            Names.Qualified(_type),
            Names.Full(_type),
            Names.Serializer(_type),
            Visibility.IsPublic(_type) && (!_type.IsGenericType || GenericDeclarations.IsDeclaredIn(_type, _compilation.Assembly)) && id < MessageIds.FirstReserved, // no other assembly serializes a message of the library
            ForbiddenUse.IsIn(_type, members) || (compressor is INamedTypeSymbol made && ForbiddenUse.IsIn(made, [])),
            _type.IsValueType,
            (uint)id,
            Names.Argument(_attribute, "Version", 1),
            isTolerant,
            isPooled,
            SecretReader.HasSecret(_type, _compilation),
            compressor is null ? null : Names.Qualified(compressor),
            Names.Argument(_attribute, "CompressionThreshold", 256),
            plan.Kind,
            new EquatableArray<FieldModel>(isTolerant ? fields.OrderBy(static field => field.Number) : fields),
            plan.ArgumentModels(),
            plan.InitializedNames(),
            new EquatableArray<CaseModel>(cases),
            new EquatableArray<int>(ends),
            MessageModel.CostOf(fields),
            NotesReader.Of(_type),
            NotesReader.UseOf(_type, compressor),
            new EquatableArray<string>(!isCreatedInside && !fields.Exists(static field => field.IsHidden) && !callbacks.Exists(static one => one.IsHidden) ? [] : PartialTypes.DeclarationsOf(_type)),
            isCreatedInside,
            new EquatableArray<CallbackModel>(callbacks));
    }

    /// <summary>Checks what does not depend on type arguments. The rest is checked for each closed type.</summary>
    private void CheckOpen()
    {
        CheckSettings();
        if (!CheckType())
            return;
        if (!_type.IsAbstract)
        {
            var members = MemberReader.Read(_type, _compilation);
            ReadFields(members.FindAll(static member => !GenericMessages.IsUnknown(member.Type)), Names.Argument(_attribute, "VersionTolerant", false));
            ConstructionReader.Read(_type, members, _compilation, _report);
        }

        if (MessageIds.Given(_attribute) is { } id)
            _report(ContractRules.UnsupportedMessage, _type, _type.Name, $"it is generic, and each closed type needs an id of its own instead of {id}; remove the id, and declare closed types by [assembly: GenericMessage(typeof({_type.Name}<…>), id)]");
    }

    /// <summary>Checks settings that would otherwise throw while the assembly is loaded, far from the mistake.</summary>
    private void CheckSettings()
    {
        if (Names.Argument(_attribute, "Version", 1) is < 1 and var version)
            _report(ContractRules.UnsupportedMessage, _type, _type.Name, $"its version is {version}; a version must be at least 1");
        if (Names.Argument(_attribute, "CompressionThreshold", 0) is < 0 and var threshold)
            _report(ContractRules.UnsupportedMessage, _type, _type.Name, $"its compression threshold is {threshold} bytes; a threshold must be at least 0");
    }

    private bool CheckType()
    {
        var reason = Visibility.FindObstacle(_type, _compilation) ?? Visibility.FindStaticMember(_type) ?? UnsentContents.FindInBases(_type, _compilation);
        if (_type.IsRefLikeType)
            reason = "a ref struct cannot be stored, and the message of a handler must be";
        else if (_type.IsStatic)
            reason = "a static class has no instances";
        else if (_type.IsAbstract && !Names.Has(_type, Names.Union))
            reason = "it is abstract; list its derived types with [MessageUnion], or mark the derived types [Message] instead";

        if (reason is not null)
            _report(ContractRules.UnsupportedMessage, _type, _type.Name, reason);
        return reason is null;
    }

    private List<FieldModel> ReadFields(List<Member> members, bool isTolerant)
    {
        var fields = new List<FieldModel>();
        var numbers = new HashSet<int>();
        var allInterned = Names.Has(_type, Names.Interned);
        foreach (var member in members)
        {
            var number = ReadNumber(member, fields.Count + 1, isTolerant, numbers);
            if (member.Type.TypeKind == TypeKind.Error)
            {
                _failed = true; // the compiler reports the unknown type
                continue;
            }

            var attributes = Converters.AttributesOf(member);
            var converters = Converters.Of(attributes, _compilation);
            var wire = WireTypes.TryRead(member.Type, _compilation, out var reason, converters);
            var faults = Converters.FindFaults(attributes, member.Symbol.Name, member.Type, wire, _compilation);
            faults.ForEach(fault => _report(ContractRules.InvalidConverter, MemberReader.Where(member, _type), fault.Name, fault.Reason));
            if (faults.Count > 0)
                continue;
            if (wire is not { } type || (member.IsHidden && !IsAccessible(member.Type, ref reason)))
            {
                _report(ContractRules.UnsupportedMember, MemberReader.Where(member, _type), member.Symbol.Name, member.Type.ToDisplayString(), reason, " To exclude the member, mark it [MessageIgnore].");
                continue;
            }

            // A closed type inside of a closed type is checked where the outermost one is used.
            if (!_type.IsGenericType && GenericMessages.FindFault(member.Type, converters, _compilation) is { } fault)
            {
                _failed = true;
                if (fault.Length > 0)
                    _report(ContractRules.UnsupportedMember, MemberReader.Where(member, _type), member.Symbol.Name, member.Type.ToDisplayString(), fault, " To exclude the member, mark it [MessageIgnore].");
                continue;
            }

            var isSecret = MemberReader.FindAttribute(member, Names.Secret) is not null;
            var isInterned = MemberReader.FindAttribute(member, Names.Interned) is not null;
            if (isSecret && isInterned)
                _report(ContractRules.SecretInterned, MemberReader.Where(member, _type), member.Symbol.Name);
            fields.Add(new FieldModel(member.Symbol.Name, number, type, isSecret, (isInterned || allInterned) && !isSecret, MemberReader.HasOwnGetter(member), null, FormerName: FormerNameOf(member), Notes: NotesReader.Of(member.Symbol, MemberReader.FindParameter(member)), IsHidden: member.IsHidden));
        }

        return fields;
    }

    /// <summary>Returns whether generated code can name the type of a member that is not public.</summary>
    private bool IsAccessible(ITypeSymbol type, ref string reason)
    {
        var isAccessible = _compilation.IsSymbolAccessibleWithin(type, _compilation.Assembly) && !Visibility.HasFileLocal(type);
        if (!isAccessible)
            reason = "generated code cannot access the type; make it internal or public";
        return isAccessible;
    }

    /// <summary>Determines the number of a field: its position, or the number of its attribute in a version-tolerant message.</summary>
    private int ReadNumber(Member member, int place, bool isTolerant, HashSet<int> taken)
    {
        var given = MemberReader.FindAttribute(member, Names.Field) is { } attribute ? Names.Argument(attribute, 0) as int? : null;
        var mistake = given switch
        {
            not null when !isTolerant => "has a [MessageField], but only messages with VersionTolerant = true send field numbers",
            null when isTolerant => "needs a [MessageField] with its number, because the message is version-tolerant",
            < 0 or > LargestNumber => $"has the number {given}; a number must be in the range 0 to {LargestNumber}",
            _ when FormerNameOf(member) is { } former && !SyntaxFacts.IsValidIdentifier(former) => $"has the former name '{former}', which is not a name of a member",
            not null when !taken.Add(given.Value) => $"has the number {given}, which another field already has",
            _ => null,
        };
        if (mistake is not null)
            _report(ContractRules.FieldNumber, MemberReader.Where(member, _type), member.Symbol.Name, mistake);
        return isTolerant && given is { } number ? number : place;
    }

    private static string? FormerNameOf(Member member) =>
        MemberReader.FindAttribute(member, Names.Field) is { } attribute ? Names.Argument<string?>(attribute, "FormerName", null) : null;

    /// <summary>Members in two parts of a partial type are in the order of the files in the compilation, which can change.</summary>
    private static bool HasUnstableOrder(List<Member> members) =>
        members.GroupBy(static member => member.Symbol.ContainingType, SymbolEqualityComparer.Default)
            .Any(static part => part.SelectMany(static member => member.Symbol.DeclaringSyntaxReferences)
                .Select(FindPart)
                .Distinct()
                .Count() > 1);

    private IEnumerable<int> BlittableEnds(List<Member> members)
    {
        if (BlittableStruct.TryRead(_type, _compilation, out _) is not { } layout)
            return [];

        // The stored bytes are the serialized bytes only if all fields are sent in the order of their declaration.
        var stored = BlittableStruct.Fields(_type).Select(static field => field.AssociatedSymbol ?? field);
        return stored.SequenceEqual(members.Select(static member => member.Symbol), SymbolEqualityComparer.Default) ? layout.Ends : [];
    }

    private bool IsCompressor(ITypeSymbol type) =>
        type is INamedTypeSymbol { IsAbstract: false, IsUnboundGenericType: false } named &&
        !Visibility.IsFileLocal(named) &&
        _compilation.IsSymbolAccessibleWithin(named, _compilation.Assembly) &&
        named.AllInterfaces.Any(static implemented => implemented.ToDisplayString() == Names.Compressor) &&
        ConstructionReader.FindRequired(named).Count == 0 &&
        CanCreate(named.InstanceConstructors.Where(constructor => constructor.Parameters.All(static parameter => parameter.IsOptional) && _compilation.IsSymbolAccessibleWithin(constructor, _compilation.Assembly)).ToList());

    /// <summary>Returns whether a call without arguments has one meaning: C# prefers the constructor without parameters, and no other.</summary>
    private static bool CanCreate(List<IMethodSymbol> constructors) => constructors.Count == 1 || constructors.Exists(static constructor => constructor.Parameters.IsEmpty);

    /// <summary>Identifies the part of a partial type that declares a member.</summary>
    private static SyntaxNode? FindPart(SyntaxReference reference)
    {
        var node = reference.GetSyntax();
        return node as TypeDeclarationSyntax ?? node.Ancestors().OfType<TypeDeclarationSyntax>().FirstOrDefault();
    }
}

/// <summary>Receives a mistake that the parser found. The analyzer reports it. The generator only needs to know that there is a mistake.</summary>
internal delegate void Fault(DiagnosticDescriptor rule, ISymbol where, params object[] arguments);
