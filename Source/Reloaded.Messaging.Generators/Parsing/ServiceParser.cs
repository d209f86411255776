using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Diagnostics;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Converts an interface marked with <c>[MessageService]</c> to its model. The generator and the analyzer use it, so the rules exist only here.</summary>
internal sealed class ServiceParser
{
    private readonly INamedTypeSymbol _type;
    private readonly Compilation _compilation;
    private readonly Fault _report;
    private readonly ServiceMessages _messages;
    private readonly HashSet<string> _names = [];
    private readonly List<ServiceMethod> _methods = [];
    private readonly List<ServiceEvent> _events = [];
    private bool _failed;

    private ServiceParser(INamedTypeSymbol type, Compilation compilation, Fault? report)
    {
        _type = type;
        _compilation = compilation;
        _report = (rule, where, arguments) =>
        {
            // A member that is inherited may be in another assembly.
            _failed = true;
            report?.Invoke(rule, SymbolEqualityComparer.Default.Equals(where.ContainingType, type) ? where : type, arguments);
        };
        _messages = new ServiceMessages(type, compilation, _report);
    }

    /// <returns>The model, or <c>null</c> if the interface cannot be a service. In that case at least one fault was reported, here or by the compiler.</returns>
    public static ServiceModel? Parse(INamedTypeSymbol type, Compilation compilation, Fault? report)
    {
        if (!Names.AreTyped(type))
            return null;
        var parser = new ServiceParser(type, compilation, report);
        var model = parser.Parse();
        return parser._failed ? null : model;
    }

    /// <summary>The types of the parameters and results of a service.</summary>
    public static IEnumerable<INamedTypeSymbol> PartsOf(INamedTypeSymbol service, Compilation compilation) => service.AllInterfaces.Insert(0, service)
        .SelectMany(static part => part.GetMembers())
        .Select(static member => member is IEventSymbol { Type: INamedTypeSymbol handler } ? handler.DelegateInvokeMethod : member as IMethodSymbol)
        .OfType<IMethodSymbol>()
        .SelectMany(static method => method.Parameters.Select(static parameter => (parameter.Type, Attributes: parameter.GetAttributes())).Append((Type: method.ReturnType, Attributes: ImmutableArray<AttributeData>.Empty)))
        .SelectMany(part => GenericMessages.In(part.Type, Converters.Of(part.Attributes, compilation), compilation));

    private ServiceModel? Parse()
    {
        var reason = _type.IsGenericType ? "it is generic or nested in a generic type, and would need an id for each type argument" : Visibility.FindObstacle(_type, _compilation);
        if (_type.AllInterfaces.FirstOrDefault(static one => one.ToDisplayString() is "System.IDisposable" or "System.IAsyncDisposable") is { } disposable)
            reason = $"it inherits {disposable.Name}, and a caller cannot dispose the object of the remote side";
        if (reason is not null)
        {
            _report(ContractRules.UnsupportedService, _type, _type.Name, reason);
            return null;
        }

        foreach (var part in _type.AllInterfaces.Insert(0, _type))
        {
            foreach (var member in part.GetMembers().Where(static member => member.IsAbstract))
                Read(member);
        }

        return new ServiceModel(Names.Qualified(_type), ServiceMessages.ClassOf(_type), Visibility.IsPublic(_type), _messages.IsForbidden, new(_methods), new(_events));
    }

    private void Read(ISymbol member)
    {
        string? reason = null;
        if (member is IMethodSymbol { AssociatedSymbol: not null })
            return; // an accessor: its property or event is read
        if (member.IsStatic)
            reason = "it is static";
        else if (member is IPropertySymbol)
            reason = "it is a property, which cannot wait for a reply; declare a method that returns a Task";
        else if (!_compilation.IsSymbolAccessibleWithin(member, _compilation.Assembly))
            reason = "generated code cannot access it; make it internal or public";
        else if (member is IMethodSymbol { IsVararg: true })
            reason = "it has '__arglist'; declare an array";
        else if (member is IMethodSymbol { IsGenericMethod: true })
            reason = "it is generic, and would need an id for each type argument";
        else if (!_names.Add(member.Name))
            reason = "another member of the service has this name, and the name identifies the message; rename one of them";

        if (reason is not null)
            _report(ContractRules.UnsupportedServiceMember, member, member.Name, reason);
        else if (member is IMethodSymbol method)
            Read(method);
        else if (member is IEventSymbol one)
            Read(one);
    }

    private void Read(IMethodSymbol method)
    {
        var task = method.ReturnType as INamedTypeSymbol;
        if (method.ReturnType.TypeKind == TypeKind.Error)
        {
            _failed = true; // the compiler reports the unknown type
            return;
        }

        var isStream = ServiceMessages.IsItems(method.ReturnType);
        if (task is null || method.ReturnsByRef || method.ReturnsByRefReadonly
            || !isStream && (task.Name is not ("Task" or "ValueTask") || task.ContainingNamespace.ToDisplayString() != "System.Threading.Tasks"))
        {
            _report(ContractRules.UnsupportedServiceMember, method, method.Name, $"it returns {method.ReturnType.ToDisplayString()}; return Task, Task<T>, ValueTask, ValueTask<T> or IAsyncEnumerable<T>");
            return;
        }

        var parameters = new List<ServiceParameter>();
        var sent = new List<(IParameterSymbol Parameter, ParameterRole Role)>();
        foreach (var parameter in method.Parameters)
        {
            var role = ServiceMessages.RoleOf(parameter);
            if (role == ParameterRole.Caller && !parameter.IsOptional)
                _report(ContractRules.UnsupportedServiceMember, method, method.Name, $"the server sets '{parameter.Name}', so a caller has no argument for it; declare it as 'Peer? {parameter.Name} = null'");
            if (role != ParameterRole.Field && parameters.Exists(other => other.Role == role))
                _report(ContractRules.UnsupportedServiceMember, method, method.Name, $"it has two parameters of the type {parameter.Type.Name}");
            parameters.Add(new ServiceParameter(parameter.Name, Names.Qualified(parameter.Type), role));
            if (role is ParameterRole.Items or ParameterRole.Progress)
                sent.Add((parameter, role));
        }

        if (sent.Exists(static one => one.Role == ParameterRole.Progress) && (isStream || sent.Exists(static one => one.Role == ParameterRole.Items)))
            _report(ContractRules.UnsupportedServiceMember, method, method.Name, "it has items and an IProgress<T>; report the progress by items of the result");
        var items = isStream ? _messages.OfItems(method, task) : null;
        var carried = sent.Select(one => _messages.OfItems(method, one.Parameter.Type)).FirstOrDefault();
        var result = isStream ? null : task.TypeArguments.FirstOrDefault();
        var request = _messages.OfRequest(method);
        foreach (var (parameter, role) in sent)
        {
            var id = NotesReader.IdOf(((INamedTypeSymbol)parameter.Type).TypeArguments[0]);
            request = request with { Use = role == ParameterRole.Items ? request.Use with { Sent = id } : request.Use with { Report = id } };
        }

        if (isStream)
            request = request with { Use = request.Use with { Role = ContractRole.Stream, HasReply = null, Item = NotesReader.IdOf(task.TypeArguments[0]) } };
        var reply = result is null ? null : _messages.OfResult(method, result);
        if (result is not null)
            request = request with { Use = request.Use with { HasReply = true, Reply = reply?.Id ?? NotesReader.IdOf(result) } };
        _methods.Add(new ServiceMethod(
            Names.Qualified(method.ContainingType),
            method.Name,
            new(parameters),
            Names.Qualified(task),
            task.Name == "Task",
            result is null ? null : Names.Qualified(result),
            request,
            reply,
            items,
            carried));
    }

    private void Read(IEventSymbol one)
    {
        var raise = (one.Type as INamedTypeSymbol)?.DelegateInvokeMethod;
        if (raise is null)
            _failed = true; // the compiler reports that the type is not a delegate
        else if (!raise.ReturnsVoid)
            _report(ContractRules.UnsupportedServiceMember, one, one.Name, $"its delegate returns {raise.ReturnType.ToDisplayString()}, and an event has no reply; declare a method");
        else
            _events.Add(new ServiceEvent(Names.Qualified(one.ContainingType), one.Name, Names.Qualified(one.Type), _messages.OfEvent(one, raise)));
    }
}

/// <summary>Creates the models of a service's messages: structs whose fields are the parameters of a method or an event, or the result of a method.</summary>
internal sealed class ServiceMessages(INamedTypeSymbol service, Compilation compilation, Fault report)
{
    private const string Result = "Result";
    private const string Items = "System.Collections.Generic.IAsyncEnumerable<T>";

    /// <summary>Whether only obsolete code may use the service, a member or a type of a member.</summary>
    public bool IsForbidden { get; } = ForbiddenUse.IsTypeForbidden(service) || service.AllInterfaces.Insert(0, service).Any(static part => part.GetMembers().Any(ForbiddenUse.IsServiceMemberForbidden));

    /// <summary>The name of the generated class that contains the messages.</summary>
    public static string ClassOf(INamedTypeSymbol service) => Names.Flat(service) + "Service";

    public static ParameterRole RoleOf(IParameterSymbol parameter) => Names.Full(parameter.Type.OriginalDefinition) switch
    {
        "System.Threading.CancellationToken" => ParameterRole.Cancellation,
        Names.Peer => ParameterRole.Caller,
        Items => ParameterRole.Items,
        "System.IProgress<T>" => ParameterRole.Progress,
        _ => ParameterRole.Field,
    };

    /// <summary>Whether a type is a stream of items.</summary>
    public static bool IsItems(ITypeSymbol type) => Names.Full(type.OriginalDefinition) == Items;

    /// <summary>Returns the items or reports of a stream or a progress, which are messages, fully qualified.</summary>
    public string? OfItems(IMethodSymbol method, ITypeSymbol type)
    {
        var item = ((INamedTypeSymbol)type).TypeArguments[0];
        if (ReadField(method, Result, item, []) is { } field && !IsMessage(method, field, item, "each of its items and reports is a message"))
            report(ContractRules.UnsupportedServiceMember, method, method.Name, $"each of its items and reports is a message; declare a type with [Message] instead of {item.ToDisplayString()}");
        return Names.Qualified(item);
    }

    public MessageModel OfRequest(IMethodSymbol method) =>
        Make(method, ContractRole.Request, "", method.Parameters.Where(static parameter => RoleOf(parameter) == ParameterRole.Field));

    /// <remarks>The parameter of <c>Action&lt;T&gt;</c> is named <c>obj</c>, which says nothing to the reader of a schema.</remarks>
    public MessageModel OfEvent(IEventSymbol one, IMethodSymbol raise) =>
        Make(one, ContractRole.Event, "", raise.Parameters, Names.Full(one.Type.OriginalDefinition) == "System.Action<T>" ? "value" : null);

    /// <summary>Returns <c>null</c> if the result is a message, which is then the reply. A message that may be null is a field of a reply.</summary>
    public MessageModel? OfResult(IMethodSymbol method, ITypeSymbol result)
    {
        if (ReadField(method, Result, result, []) is not { } field)
            return null;
        return IsMessage(method, field, result, "its result is a reply by itself")
            ? null
            : Make(method, ContractRole.Reply, ".Reply", [field], SecretReader.IsInside(result, CompilationCache.Of(compilation).Converters, compilation));
    }

    /// <summary>Whether a type is a message by itself. Reports a generic type that is not declared.</summary>
    private bool IsMessage(IMethodSymbol method, FieldModel field, ITypeSymbol type, string reason)
    {
        var isMessage = field.Type.Kind == WireKind.Message && type.NullableAnnotation != NullableAnnotation.Annotated;
        if (isMessage && GenericMessages.Is(type) && GenericDeclarations.Find((INamedTypeSymbol)type) is null)
            report(ContractRules.UnsupportedServiceMember, method, method.Name, $"{reason}; declare it by [assembly: GenericMessage(typeof({type.ToDisplayString(SymbolDisplayFormat.MinimallyQualifiedFormat)}))]");
        return isMessage;
    }

    private MessageModel Make(ISymbol member, ContractRole role, string suffix, IEnumerable<IParameterSymbol> parameters, string? name = null)
    {
        var fields = new List<FieldModel>();
        var isSecret = false;
        foreach (var parameter in parameters)
        {
            if (parameter.RefKind != RefKind.None)
                report(ContractRules.UnsupportedServiceMember, member, member.Name, $"the parameter '{parameter.Name}' is passed by reference; pass it by value");
            else if (ReadField(member, name ?? parameter.Name, parameter.Type, parameter.GetAttributes()) is { } field)
                fields.Add(FieldDefaults.AddOf(parameter, Marked(member, parameter, field with { Number = fields.Count + 1, Notes = NotesReader.Of(parameter) })));
            isSecret |= fields.LastOrDefault() is { IsSecret: true } || SecretReader.IsInside(parameter.Type, Converters.Of(parameter.GetAttributes(), compilation), compilation);
        }

        return Make(member, role, suffix, fields, isSecret);
    }

    private FieldModel Marked(ISymbol member, IParameterSymbol parameter, FieldModel field)
    {
        var (isSecret, isInterned) = (Names.Has(parameter, Names.Secret), Names.Has(parameter, Names.Interned));
        if (isSecret && isInterned)
            report(ContractRules.SecretInterned, member, parameter.Name);
        return field with { IsSecret = isSecret, IsInterned = isInterned && !isSecret };
    }

    private FieldModel? ReadField(ISymbol member, string name, ITypeSymbol type, IReadOnlyList<AttributeData> attributes)
    {
        var converters = Converters.Of(attributes, compilation);
        var form = WireTypes.TryRead(type, compilation, out var reason, converters);
        var faults = Converters.FindFaults(attributes, name, type, form, compilation);
        faults.ForEach(fault => report(ContractRules.InvalidConverter, member, fault.Name, fault.Reason));
        if (faults.Count > 0)
            return null;
        if (form is { } wire)
        {
            if (GenericMessages.FindFault(type, converters, compilation) is not { } fault)
                return new FieldModel(name, 1, wire, false, false, false, null);
            reason = fault;
        }

        report(ContractRules.UnsupportedMember, member, name == Result ? member.Name : name, type.ToDisplayString(), reason, "");
        return null;
    }

    private MessageModel Make(ISymbol member, ContractRole role, string suffix, List<FieldModel> fields, bool isSecret)
    {
        // The id of a reply is always derived, because an id of the attribute is the id of the request.
        var fullName = $"{Names.Full(service)}.{member.Name}{suffix}";
        var id = suffix.Length > 0 ? Fnv.DeriveId(fullName) : MessageIds.Read(member, fullName);
        if (id is < 0 or > MessageIds.Largest)
            report(ContractRules.IdOutOfRange, member, member.Name, id);

        var name = $"{member.Name}{role}";
        while (fields.Exists(field => field.Name == name))
            name += "_"; // a field cannot have the name of its struct
        return new MessageModel(
            $"global::{Names.Generated}.{ClassOf(service)}.{name}",
            fullName,
            $"{Names.Flat(service)}_1{name}Serializer",
            Visibility.IsPublic(service),
            IsForbidden,
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
            MessageModel.CostOf(fields),
            NotesReader.Of(member),
            new ContractUse(role, role == ContractRole.Request ? false : null, null, Names.Full(service), null),
            new([]),
            false,
            new([]));
    }
}
