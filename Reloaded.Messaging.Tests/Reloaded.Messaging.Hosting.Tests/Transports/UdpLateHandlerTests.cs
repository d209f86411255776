using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Connections;
using Xunit;

namespace Reloaded.Messaging.Tests.Transports;

/// <summary>Late handlers over UDP, where an announcement and events take their own ways.</summary>
public sealed class UdpLateHandlerTests
{
    [Theory]
    [InlineData(LateHandlerTests.Type)]
    [InlineData(LateHandlerTests.Derived)]
    public Task Events_of_another_layout_on_their_way_are_not_read(uint type) => LateHandlerTests.SendAnotherLayoutAsync(MessageEndpoint.Udp(0), type);

    [Theory]
    [InlineData(LateHandlerTests.Type)]
    [InlineData(LateHandlerTests.Derived)]
    public Task Events_of_the_same_layout_are_handled_from_the_answer_on_and_counted_before(uint type) => LateHandlerTests.SendSameLayoutAsync(MessageEndpoint.Udp(0), type);
}
