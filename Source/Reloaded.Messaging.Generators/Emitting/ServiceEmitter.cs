using System.Linq;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Generators.Parsing;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits the file of a service: the structs of its messages, its client, and the registration of its methods and events at a host.</summary>
internal sealed class ServiceEmitter(ServiceModel service)
{
    private const string Library = "global::Reloaded.Messaging.CompilerServices";
    private const string Hosting = "global::Reloaded.Messaging.Hosting";
    private const string Tasks = "global::System.Threading.Tasks";

    private readonly CodeWriter _code = new();

    public static string Emit(ServiceModel service)
    {
        var emitter = new ServiceEmitter(service);
        emitter.Emit();
        return emitter._code.ToString();
    }

    private void Emit()
    {
        _code.Header();
        _code.Open($"namespace {Names.Generated}");
        _code.Line("/// <summary>The messages, the client and the binding of a service.</summary>");
        _code.Line("[global::System.ComponentModel.EditorBrowsable(global::System.ComponentModel.EditorBrowsableState.Never)]");
        _code.Line("[global::System.Runtime.CompilerServices.CompilerGenerated]");
        if (service.IsForbidden)
            _code.Line("[global::System.Obsolete]");
        _code.Open($"{(service.IsPublic ? "public" : "internal")} sealed class {service.Class} : {Library}.ServiceContract<{service.Name}>");
        _code.Line($"public override {service.Name} CreateClient({Library}.ServiceCaller caller) => new Client(caller);");
        _code.Line();
        EmitBind();
        _code.Line();
        EmitClient();
        foreach (var method in service.Methods)
        {
            EmitMessage(method.Request, "");
            if (method.Reply is not null)
                EmitMessage(method.Reply, $" : {Library}.IServiceReply<{method.Result}>", $"{method.Result} {Library}.IServiceReply<{method.Result}>.Result => this.@Result;");
        }

        foreach (var one in service.Events)
        {
            var raised = $"{Library}.IServiceEvent<{one.Handler}>";
            EmitMessage(one.Message, $" : {raised}", $"void {raised}.Raise({one.Handler} handler) => handler({string.Join(", ", one.Message.Fields.Select(static field => $"this.@{field.Name}"))});");
        }

        _code.Close();
        _code.Close();
    }

    private void EmitBind()
    {
        _code.Open($"public override void Bind({service.Name} service, {Library}.ServiceBinding binding)");
        foreach (var method in service.Methods)
        {
            var call = $"(({method.Interface})service).@{method.Name}({string.Join(", ", method.Parameters.Select(ServerArgument))})";
            if (method.IsStream)
            {
                EmitStreamBinding(method, call);
                continue;
            }

            var (types, result) = method switch
            {
                { Result: null } => ("", method.IsTask ? $"new {Tasks}.ValueTask({call})" : call),
                { Reply: { } reply } => ($", {reply.Name}", $"new {reply.Name}(await {call}.ConfigureAwait(false))"),
                _ => ($", {method.Result}", method.IsTask ? $"new {Tasks}.ValueTask<{method.Result}>({call})" : call),
            };
            _code.Line($"binding.OnRequest<{method.Request.Name}{types}>({(method.Reply is null ? "" : "async ")}(request, caller, canceled) => {result});");
        }

        for (var i = 0; i < service.Events.Count; i++)
        {
            var one = service.Events[i];
            var arguments = string.Join(", ", one.Message.Fields.Select(static (_, index) => $"a{index}"));
            _code.Line($"{one.Handler} on{i} = ({arguments}) => binding.Broadcast(new {one.Message.Name}({arguments}));");
            _code.Line($"binding.OnRaised<{one.Message.Name}>(() => (({one.Interface})service).@{one.Name} += on{i}, () => (({one.Interface})service).@{one.Name} -= on{i});");
        }

        _code.Close();
    }

    /// <summary>Emits the registration of a method with items or with progress.</summary>
    private void EmitStreamBinding(ServiceMethod method, string call)
    {
        var sent = method.Carrier;
        var parameters = $"{method.Request.Name} request, {(sent is null ? "" : $"{sent.Type} sent, ")}{Hosting}.Peer caller, global::System.Threading.CancellationToken canceled";
        var types = string.Join(", ", StreamTypes(method));
        var body = method switch
        {
            { Items: not null } => call,
            { Result: null } => $"{{ await {call}.ConfigureAwait(false); return default; }}",
            { Reply: { } reply } => $"new {reply.Name}(await {call}.ConfigureAwait(false))",
            _ => $"await {call}.ConfigureAwait(false)",
        };
        _code.Line($"binding.Add({Hosting}.HostStreams.{(method.Items is null ? "OnRequest" : "OnStream")}<{types}>(binding.Host, {(method.Items is null ? "async " : "")}({parameters}) => {body}));");
    }

    /// <summary>Emits the body of a method with items or with progress. A caller that passes no progress sends the request without it.</summary>
    private void EmitStreamCall(ServiceMethod method, string signature, string request, string canceled)
    {
        var sent = method.Carrier;
        var contracts = string.Join(", ", StreamTypes(method).Select(static type => $"global::Reloaded.Messaging.MessageContract.GetDeclared<{type}>()"));
        var call = $"{Hosting}.HostStreams.{(method.Items is null ? "RequestAsync" : "StreamAsync")}(this._caller.Peer, {contracts}, {request}, {(sent is null ? "" : $"@{sent.Name}, ")}{canceled})";
        if (sent?.Role == ParameterRole.Progress)
            call = $"(@{sent.Name} is null ? this._caller.RequestAsync<{method.Request.Name}, {ReplyOf(method)}>({request}, {canceled}).AsTask() : {call})";
        _code.Line($"{(method.Items is null ? "async " : "")}{signature} =>");
        _code.Line(method.Items is not null ? $"    {call};" : method.Reply is null ? $"    await {call}.ConfigureAwait(false);" : $"    (await {call}.ConfigureAwait(false)).Result;");
    }

    private static IEnumerable<string> StreamTypes(ServiceMethod method) => new[] { method.Request.Name, method.Sent, method.Items ?? ReplyOf(method) }.OfType<string>();

    private static string ReplyOf(ServiceMethod method) => method.Reply?.Name ?? method.Result ?? $"{Hosting}.Acknowledgement";

    private void EmitClient()
    {
        _code.Open($"private sealed class Client : {service.Name}");
        _code.Line($"private readonly {Library}.ServiceCaller _caller;");
        _code.Line();
        _code.Line($"public Client({Library}.ServiceCaller caller) => _caller = caller;");
        foreach (var method in service.Methods)
        {
            var types = string.Join(", ", new[] { method.Request.Name, method.Reply?.Name, method.Result }.Where(static type => type is not null));
            var fields = string.Join(", ", method.Request.Fields.Select(static field => $"@{field.Name}"));
            var canceled = method.Find(ParameterRole.Cancellation) is { } token ? $"@{token.Name}" : "default";
            var request = $"new {method.Request.Name}({fields})";
            var signature = $"{method.Returns} {method.Interface}.@{method.Name}({string.Join(", ", method.Parameters.Select(static parameter => $"{parameter.Type} @{parameter.Name}"))})";
            _code.Line();
            if (method.IsStream)
            {
                EmitStreamCall(method, signature, request, canceled);
                continue;
            }

            _code.Line($"{signature} =>");
            _code.Line($"    this._caller.RequestAsync<{types}>({request}, {canceled}){(method.IsTask ? ".AsTask()" : "")};");
        }

        foreach (var one in service.Events)
        {
            var types = $"{one.Message.Name}, {one.Handler}";
            _code.Line();
            _code.Open($"event {one.Handler} {one.Interface}.@{one.Name}");
            _code.Line($"add => _caller.Subscribe<{types}>(value);");
            _code.Line($"remove => _caller.Unsubscribe<{types}>(value);");
            _code.Close();
        }

        _code.Close();
    }

    /// <summary>Emits a struct with a constructor that takes all fields. A struct without fields has the constructor of every struct.</summary>
    private void EmitMessage(MessageModel message, string interfaces, string? member = null)
    {
        var name = message.Name.Substring(message.Name.LastIndexOf('.') + 1);
        _code.Line();
        _code.Open($"public readonly struct {name}{interfaces}");
        foreach (var field in message.Fields)
            _code.Line($"public readonly {field.Type.Name} @{field.Name};");
        if (message.Fields.Count > 0)
        {
            _code.Line();
            _code.Open($"public {name}({string.Join(", ", message.Fields.Select(static field => $"{field.Type.Name} @{field.Name}"))})");
            foreach (var field in message.Fields)
                _code.Line($"this.@{field.Name} = @{field.Name};");
            _code.Close();
        }

        if (member is not null)
        {
            _code.Line();
            _code.Line(member);
        }

        _code.Close();
    }

    private static string ServerArgument(ServiceParameter parameter) => parameter.Role switch
    {
        ParameterRole.Cancellation => "canceled",
        ParameterRole.Caller => "caller",
        ParameterRole.Items or ParameterRole.Progress => "sent",
        _ => $"request.@{parameter.Name}",
    };
}
