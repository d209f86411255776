using System.Linq;
using System.Text;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;
using RabbitDelivery = Reloaded.Messaging.Hosting.RabbitMQ.Delivery;

namespace Reloaded.Messaging.Tests.Receiving;

public sealed class DeliveryTests
{
    [Fact]
    public void Copy_of_a_body_is_zeroed_before_its_buffer_returns_to_the_pool()
    {
        var body = Encoding.UTF8.GetBytes("the password of a player");
        var copy = new RabbitDelivery(1, default, IsRedelivered: false, new BasicProperties(), body, Rented: null).Copy();
        var (rented, read) = (copy.Rented!, Encoding.UTF8.GetString(copy.Body.Span));

        copy.Free();

        Assert.Equal("the password of a player", read);
        Assert.All(rented.Take(body.Length), static value => Assert.Equal(0, value));
    }
}
