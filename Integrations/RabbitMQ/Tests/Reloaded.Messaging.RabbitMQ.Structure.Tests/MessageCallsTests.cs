using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using Reloaded.Messaging.Extensions.Hosting.RabbitMQ;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Analyzers;
using Xunit;

namespace Reloaded.Messaging.Tests.RabbitMQ;

/// <summary>The analyzers know every public method whose type argument is a message with a declared contract.</summary>
public sealed class MessageCallsTests
{
    private static readonly List<MethodInfo> s_methods = MessageMethods.Of(typeof(RabbitHost), typeof(RabbitHostBuilder));

    [Fact]
    public void Each_public_method_for_a_message_is_known()
    {
        Assert.Empty(NamesOf(s_methods).Except(MessageCalls.All));
        Assert.Empty(new[] { "Publish", "PublishAsync", "SchedulePublishAsync" }.Except(NamesOf(s_methods))); // no other package has these
    }

    [Fact]
    public void Each_type_parameter_for_a_message_is_known() =>
        Assert.Empty(s_methods.SelectMany(static method => method.GetGenericArguments()).Where(MessageMethods.IsMessage).Select(static type => type.Name).Except(MessageCalls.Messages));

    [Fact]
    public void Each_method_with_a_message_as_argument_sends() => Assert.Empty(NamesOf(s_methods.Where(MessageMethods.Sends)).Except(MessageCalls.Sending));

    [Fact]
    public void Each_method_with_a_delegate_of_a_message_registers() =>
        Assert.Empty(NamesOf(s_methods.Where(static method => method.ReturnType == typeof(HandlerRegistration))).Except(MessageCalls.Registering));

    private static IEnumerable<string> NamesOf(IEnumerable<MethodInfo> methods) => methods.Select(static method => method.Name);
}
