using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.RecyclableStreams;
using Reloaded.Messaging.Transports.LiteNetLib;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

/// <summary>The analyzers know every public method whose type argument is a message with a declared contract.</summary>
public sealed class MessageCallsTests
{
    // These methods use no declared contract. A new method is added here or to MessageCalls.
    private static readonly string[] s_others = ["Dispatch", "TryGetMessage"];

    /// <summary>The methods of hosts over RabbitMQ, whose tests check them.</summary>
    private static readonly string[] s_neighbours = ["Publish", "PublishAsync", "SchedulePublishAsync"];

    private static readonly Type[] s_assemblies =
    [
        typeof(MessageContract), typeof(MessageEndpoint), typeof(MessageHost), typeof(TickLoop), typeof(MessageStreams), typeof(LiteNetOptions),
        typeof(MessageHostBuilder),
    ];

    private static readonly List<MethodInfo> s_methods = MessageMethods.Of(s_assemblies);

    [Fact]
    public void Each_public_method_for_a_message_is_known() =>
        Assert.Equal(s_methods.Select(static method => method.Name).Except(s_others).Concat(s_neighbours).Distinct().Order(), MessageCalls.All.Order());

    [Fact]
    public void Each_type_parameter_for_a_message_is_known() =>
        Assert.Empty(s_methods.Where(static method => !s_others.Contains(method.Name)).SelectMany(static method => method.GetGenericArguments()).Where(MessageMethods.IsMessage).Select(static type => type.Name).Except(MessageCalls.Messages));

    [Fact]
    public void Each_method_with_a_message_as_argument_sends() =>
        Assert.Equal(
            s_methods.Where(static method => !s_others.Contains(method.Name) && MessageMethods.Sends(method)).Select(static method => method.Name).Concat(s_neighbours).Distinct().Order(),
            MessageCalls.Sending.Order());

    [Fact]
    public void Each_method_with_a_delegate_of_a_message_registers() =>
        Assert.Equal(
            s_methods.Where(static method => method.ReturnType == typeof(HandlerRegistration)).Select(static method => method.Name).Distinct().Order(),
            MessageCalls.Registering.Order());
}
