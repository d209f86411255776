using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Extensions.Hosting.RabbitMQ;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.RecyclableStreams;
using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

/// <summary>The analyzers know every public method whose type argument is a message with a declared contract.</summary>
public sealed class MessageCallsTests
{
    // These methods use no declared contract. A new method is added here or to MessageCalls.
    private static readonly string[] s_others = ["Dispatch", "TryGetMessage"];

    private static readonly Type[] s_assemblies =
    [
        typeof(MessageContract), typeof(MessageEndpoint), typeof(MessageHost), typeof(PeerContextExtensions), typeof(RabbitHost), typeof(MessageStreams), typeof(LiteNetOptions),
        typeof(MessageHostBuilder), typeof(RabbitHostBuilder),
    ];

    private static readonly List<MethodInfo> s_methods = [.. s_assemblies
        .SelectMany(static type => type.Assembly.GetExportedTypes())
        .Where(static type => type.Namespace is { } name && !name.EndsWith("CompilerServices", StringComparison.Ordinal))
        .SelectMany(static type => type.GetMethods(BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly))
        .Where(static method => method.IsGenericMethodDefinition && !TakesContract(method) && method.GetGenericArguments().Any(IsMessage))];

    [Fact]
    public void Each_public_method_for_a_message_is_known() =>
        Assert.Equal(s_methods.Select(static method => method.Name).Except(s_others).Distinct().Order(), MessageCalls.All.Order());

    [Fact]
    public void Each_type_parameter_for_a_message_is_known() =>
        Assert.Empty(s_methods.Where(static method => !s_others.Contains(method.Name)).SelectMany(static method => method.GetGenericArguments()).Where(IsMessage).Select(static type => type.Name).Except(MessageCalls.Messages));

    [Fact]
    public void Each_method_with_a_message_as_argument_sends() =>
        Assert.Equal(
            s_methods.Where(static method => !s_others.Contains(method.Name) && method.GetParameters().Any(IsValue)).Select(static method => method.Name).Distinct().Order(),
            MessageCalls.Sending.Order());

    [Fact]
    public void Each_method_with_a_delegate_of_a_message_registers() =>
        Assert.Equal(
            s_methods.Where(static method => method.ReturnType == typeof(HandlerRegistration)).Select(static method => method.Name).Distinct().Order(),
            MessageCalls.Registering.Order());

    private static bool TakesContract(MethodInfo method) =>
        method.GetParameters().Any(static parameter => parameter.ParameterType.IsGenericType && parameter.ParameterType.GetGenericTypeDefinition() == typeof(MessageContract<>));

    /// <summary>Returns whether a type parameter can be any message. A host, a state, a filter, a handler or a service is none, and a message has no constraint.</summary>
    private static bool IsMessage(Type parameter) =>
        parameter.GetGenericParameterConstraints().Length == 0 && (parameter.GenericParameterAttributes & GenericParameterAttributes.ReferenceTypeConstraint) == 0 &&
        !Regex.IsMatch(parameter.Name, "^T(From|State|Context|Argument|Key|Value)$");

    private static bool IsValue(ParameterInfo parameter)
    {
        var type = parameter.ParameterType.IsByRef ? parameter.ParameterType.GetElementType()! : parameter.ParameterType;
        return !parameter.IsOut && (type.IsGenericMethodParameter ? IsMessage(type) : type.IsGenericType && type.Name is "IRequest`1" or "IStreamRequest`1");
    }
}
