using System.IO;
using System.Linq;
using System.Linq.Expressions;
using System.Reflection;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.BuildingBlocks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Callers;

/// <summary>A public method of the hosts and the transports, except the building blocks for authors of hosts, that receives <c>null</c> for a parameter that is not nullable names this parameter in an <see cref="ArgumentNullException"/>.</summary>
public sealed class NullArgumentTests
{
    [Fact]
    public async Task Null_is_refused_with_the_name_of_the_parameter()
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.InProcess($"null-{Guid.NewGuid()}"));
        object[] samples =
        [
            hosts.Server, hosts.Client, hosts.Client.Server, new PeerGroup(hosts.Server), hosts.Server.Bans, MessageEndpoint.Tcp(0), new TransportContext(), new AddressLockout(),
            Environment.ProcessPath!, new MemoryStream(), new List<Peer>(), typeof(Ping), new Random(1), new Items(), new Progress<Ping>(),
        ];
        var (refused, wrong) = (0, new List<string>());
        var methods = new[] { typeof(MessageHost), typeof(MessageEndpoint) }.SelectMany(static type => type.Assembly.GetExportedTypes())
            .Where(static type => type.Namespace != typeof(RequestTable).Namespace && !type.ContainsGenericParameters)
            .SelectMany(static type => type.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static))
            .Where(method => IsTested(method) && (method.IsStatic || Array.Exists(samples, method.ReflectedType!.IsInstanceOfType)));
        foreach (var method in methods.Select(Close))
        {
            foreach (var parameter in method.GetParameters().Where(IsNotNullable))
            {
                refused++;
                var name = $"{method.ReflectedType!.Name}.{method.Name}";
                if (await CallAsync(method, parameter, samples) is var thrown && thrown != parameter.Name)
                    wrong.Add($"{name}: {thrown} in place of {parameter.Name}, {method}");
            }
        }

        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
        Assert.InRange(refused, 100, int.MaxValue);
    }

    private sealed class Items : IAsyncEnumerable<Ping>, IAsyncEnumerable<Pong>
    {
        IAsyncEnumerator<Ping> IAsyncEnumerable<Ping>.GetAsyncEnumerator(CancellationToken cancellationToken) => throw new NotSupportedException();

        IAsyncEnumerator<Pong> IAsyncEnumerable<Pong>.GetAsyncEnumerator(CancellationToken cancellationToken) => throw new NotSupportedException();
    }

    /// <summary>Not the members of <see cref="object"/> and of events and properties. A method with a span cannot be called by reflection.</summary>
    private static bool IsTested(MethodInfo method) =>
        method.DeclaringType != typeof(object) && !method.IsSpecialName && !Array.Exists(method.GetParameters(), static parameter => parameter.ParameterType.IsByRefLike);

    private static MethodInfo Close(MethodInfo method) => method.IsGenericMethodDefinition ? method.MakeGenericMethod([.. method.GetGenericArguments().Select(ArgumentOf)]) : method;

    private static Type ArgumentOf(Type parameter) =>
        parameter.Name == "TService" ? typeof(Services.IModLoader) : parameter.GetGenericParameterConstraints().FirstOrDefault() ?? (parameter.Name is "TReply" or "TItem" ? typeof(Pong) : typeof(Ping));

    private static bool IsNotNullable(ParameterInfo parameter) =>
        !parameter.ParameterType.IsValueType && !parameter.ParameterType.IsByRef && !DefinitionOf(parameter).ParameterType.IsGenericParameter &&
        new NullabilityInfoContext().Create(DefinitionOf(parameter)).WriteState == NullabilityState.NotNull;

    private static ParameterInfo DefinitionOf(ParameterInfo parameter) =>
        parameter.Member is MethodInfo { IsGenericMethod: true } method ? method.GetGenericMethodDefinition().GetParameters()[parameter.Position] : parameter;

    /// <summary>Returns the name of the parameter in the exception, or what happened in place of it.</summary>
    private static async Task<string?> CallAsync(MethodInfo method, ParameterInfo missing, object[] samples)
    {
        try
        {
            var arguments = method.GetParameters().Select(parameter => parameter.Position == missing.Position ? null : SampleOf(parameter, samples)).ToArray();
            var result = method.Invoke(method.IsStatic ? null : Array.Find(samples, method.ReflectedType!.IsInstanceOfType), arguments);
            if (result is not null && result.GetType() is { Name: "ValueTask`1" } type)
                result = type.GetMethod("AsTask")!.Invoke(result, []);
            if (result is ValueTask task)
                result = task.AsTask();
            if (result is Task running)
                await running.InTime();
            return "no exception";
        }
        catch (Exception e)
        {
            return (e is TargetInvocationException ? e.InnerException! : e) is var thrown && thrown is ArgumentNullException { ParamName: var name } ? name : thrown.GetType().Name;
        }
    }

    private static object? SampleOf(ParameterInfo parameter, object[] samples)
    {
        var type = parameter.ParameterType.IsByRef ? parameter.ParameterType.GetElementType()! : parameter.ParameterType;
        if (parameter.HasDefaultValue && parameter.DefaultValue is { } value)
            return value;
        if (type.IsValueType || parameter.HasDefaultValue)
            return type == typeof(int) ? 1 : type.IsValueType ? Activator.CreateInstance(type) : null;
        if (typeof(Delegate).IsAssignableFrom(type))
        {
            var invoke = type.GetMethod("Invoke")!;
            return Expression.Lambda(type, Expression.Default(invoke.ReturnType), invoke.GetParameters().Select(static one => Expression.Parameter(one.ParameterType))).Compile();
        }

        if (typeof(MessageContract).IsAssignableFrom(type))
            return typeof(MessageContract).GetMethod(nameof(MessageContract.GetDeclared), 1, [])!.MakeGenericMethod(type.IsGenericType ? type.GetGenericArguments()[0] : typeof(Ping)).Invoke(null, []);
        return Array.Find(samples, type.IsInstanceOfType);
    }
}
