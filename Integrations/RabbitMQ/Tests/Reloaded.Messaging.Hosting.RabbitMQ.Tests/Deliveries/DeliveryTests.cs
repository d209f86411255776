using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading.Tasks;
using Xunit;
using RabbitDelivery = Reloaded.Messaging.Hosting.RabbitMQ.Delivery;

namespace Reloaded.Messaging.Tests.Deliveries;

public sealed class DeliveryTests
{
    [Fact]
    public void Copy_of_a_body_is_zeroed_before_its_buffer_returns_to_the_pool()
    {
        var body = Encoding.UTF8.GetBytes("the password of a player");
        var delivery = new RabbitDelivery(static (_, _) => Task.CompletedTask);
        delivery.CopyBody(body);
        Assert.True(MemoryMarshal.TryGetArray(delivery.Body, out var copy));
        var read = Encoding.UTF8.GetString(delivery.Body.Span);

        delivery.Free();

        Assert.Equal("the password of a player", read);
        Assert.All(copy.Array!.Take(body.Length), static value => Assert.Equal(0, value));
    }
}
