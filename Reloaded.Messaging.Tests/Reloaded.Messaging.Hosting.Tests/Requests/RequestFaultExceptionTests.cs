using Reloaded.Messaging.Hosting;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

public sealed class RequestFaultExceptionTests
{
    private enum ShopFault : long
    {
        Reserved = 999,
        SoldOut = 1000,
        Unknown = 3_000_000_000,
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(FaultCode.HandlerFailed)]
    [InlineData(999)]
    public void Code_of_the_library_is_refused(int code)
    {
        var refused = Assert.Throws<ArgumentOutOfRangeException>(() => new RequestFaultException(code, "No."));

        Assert.Contains($"The code of the fault is {code}; the library uses the codes below 1000.", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Enum_is_a_code()
    {
        Assert.Equal(1000, new RequestFaultException(ShopFault.SoldOut, "No.").Code);
        Assert.Throws<ArgumentOutOfRangeException>(() => new RequestFaultException(ShopFault.Reserved, "No."));
        Assert.Throws<OverflowException>(() => new RequestFaultException(ShopFault.Unknown, "No."));
    }
}
