using System.Collections.Generic;
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
        var parser = new ServiceParser(type, compilation, report);
        var model = parser.Parse();
        return parser._failed ? null : model;
    }

    private ServiceModel? Parse()
    {
        var reason = Visibility.FindObstacle(_type, _compilation);
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

        return new ServiceModel(Names.Qualified(_type), ServiceMessages.ClassOf(_type), Visibility.IsPublic(_type), new(_methods), new(_events));
    }

    private void Read(ISymbol member)
    {
        string? reason = null;
        if (member is IMethodSymbol { MethodKind: not MethodKind.Ordinary })
            return; // an accessor: its property or event is read
        if (member.IsStatic)
            reason = "it is static";
        else if (member is IPropertySymbol)
            reason = "it is a property, which cannot wait for a reply; declare a method that returns a Task";
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

        if (task is not { Name: "Task" or "ValueTask" } || task.ContainingNamespace.ToDisplayString() != "System.Threading.Tasks" || method.ReturnsByRef || method.ReturnsByRefReadonly)
        {
            _report(ContractRules.UnsupportedServiceMember, method, method.Name, $"it returns {method.ReturnType.ToDisplayString()}; return Task, Task<T>, ValueTask or ValueTask<T>");
            return;
        }

        var parameters = new List<ServiceParameter>();
        foreach (var parameter in method.Parameters)
        {
            var role = ServiceMessages.RoleOf(parameter);
            if (role == ParameterRole.Caller && !parameter.IsOptional)
                _report(ContractRules.UnsupportedServiceMember, method, method.Name, $"the server sets '{parameter.Name}', so a caller has no argument for it; declare it as 'Peer? {parameter.Name} = null'");
            if (role != ParameterRole.Field && parameters.Exists(other => other.Role == role))
                _report(ContractRules.UnsupportedServiceMember, method, method.Name, $"it has two parameters of the type {parameter.Type.Name}");
            parameters.Add(new ServiceParameter(parameter.Name, Names.Qualified(parameter.Type), role));
        }

        var result = task.TypeArguments.FirstOrDefault();
        _methods.Add(new ServiceMethod(
            Names.Qualified(method.ContainingType),
            method.Name,
            new(parameters),
            Names.Qualified(task),
            task.Name == "Task",
            result is null ? null : Names.Qualified(result),
            _messages.OfRequest(method),
            result is null ? null : _messages.OfResult(method, result)));
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
