using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Creates the models of a service's messages: structs whose fields are the parameters of a method or an event, or the result of a method.</summary>
internal sealed class ServiceMessages(INamedTypeSymbol service, Compilation compilation, Fault report)
{
    private const string Result = "Result";

    /// <summary>The name of the generated class that contains the messages.</summary>
    public static string ClassOf(INamedTypeSymbol service) => Names.Flat(service) + "Service";

    public static ParameterRole RoleOf(IParameterSymbol parameter) => Names.Full(parameter.Type) switch
    {
        "System.Threading.CancellationToken" => ParameterRole.Cancellation,
        Names.Peer => ParameterRole.Caller,
        _ => ParameterRole.Field,
    };

    public MessageModel OfRequest(IMethodSymbol method) =>
        Make(method, "Request", "", method.Parameters.Where(static parameter => RoleOf(parameter) == ParameterRole.Field));

    /// <remarks>The parameter of <c>Action&lt;T&gt;</c> is named <c>obj</c>, which says nothing to the reader of a schema.</remarks>
    public MessageModel OfEvent(IEventSymbol one, IMethodSymbol raise) =>
        Make(one, "Event", "", raise.Parameters, Names.Full(one.Type.OriginalDefinition) == "System.Action<T>" ? "value" : null);

    /// <summary>Returns <c>null</c> if the result is a message, which is then the reply. A message that may be null is a field of a reply.</summary>
    public MessageModel? OfResult(IMethodSymbol method, ITypeSymbol result)
    {
        if (ReadField(method, Result, result) is not { } field)
            return null;
        return field.Type.Kind == WireKind.Message && result.NullableAnnotation != NullableAnnotation.Annotated
            ? null
            : Make(method, "Reply", ".Reply", [field], SecretReader.IsInside(result, compilation));
    }

    private MessageModel Make(ISymbol member, string kind, string suffix, IEnumerable<IParameterSymbol> parameters, string? name = null)
    {
        var fields = new List<FieldModel>();
        var isSecret = false;
        foreach (var parameter in parameters)
        {
            if (parameter.RefKind != RefKind.None)
                report(ContractRules.UnsupportedServiceMember, member, member.Name, $"the parameter '{parameter.Name}' is passed by reference; pass it by value");
            else if (ReadField(member, name ?? parameter.Name, parameter.Type) is { } field)
                fields.Add(FieldDefaults.AddOf(parameter, Marked(member, parameter, field with { Number = fields.Count + 1 })));
            isSecret |= fields.LastOrDefault() is { IsSecret: true } || SecretReader.IsInside(parameter.Type, compilation);
        }

        return Make(member, kind, suffix, fields, isSecret);
    }

    private FieldModel Marked(ISymbol member, IParameterSymbol parameter, FieldModel field)
    {
        var (isSecret, isInterned) = (Names.Has(parameter, Names.Secret), Names.Has(parameter, Names.Interned));
        if (isSecret && isInterned)
            report(ContractRules.SecretInterned, member, parameter.Name);
        return field with { IsSecret = isSecret, IsInterned = isInterned && !isSecret };
    }

    private FieldModel? ReadField(ISymbol member, string name, ITypeSymbol type)
    {
        if (WireTypes.TryRead(type, compilation, out var reason) is { } wire)
            return new FieldModel(name, 1, wire, false, false, false, null);
        report(ContractRules.UnsupportedMember, member, name == Result ? member.Name : name, type.ToDisplayString(), reason, "");
        return null;
    }

    private MessageModel Make(ISymbol member, string kind, string suffix, List<FieldModel> fields, bool isSecret)
    {
        // The id of a reply is always derived, because an id of the attribute is the id of the request.
        var fullName = $"{Names.Full(service)}.{member.Name}{suffix}";
        var id = suffix.Length > 0 ? Fnv.DeriveId(fullName) : MessageIds.Read(member, fullName);
        if (id is < 0 or > MessageIds.Largest)
            report(ContractRules.IdOutOfRange, member, member.Name, id);

        var name = member.Name + kind;
        return new MessageModel(
            $"global::{Names.Generated}.{ClassOf(service)}.{name}",
            fullName,
            $"{Names.Flat(service)}_1{name}Serializer",
            Visibility.IsPublic(service),
            IsForbidden: false,
            IsValueType: true,
            (uint)id,
            Version: 1,
            IsVersionTolerant: false,
            IsPooled: false,
            isSecret,
            Compressor: null,
            CompressionThreshold: 256,
            Construction.Values,
            new(fields),
            new(fields.Select(static field => new ArgumentModel(field.Name, field.Type.Name, field.Name))),
            new([]),
            new([]),
            new([]),
            MessageModel.EstimateMemory(fields, isValueType: true));
    }
}
