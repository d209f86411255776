using Xunit;

namespace Reloaded.Messaging.Tests.Contracts;

public sealed class MessageContractTests
{
    [Fact]
    public void Attribute_without_an_id_says_so() => Assert.Equal((-1, 0), (new MessageAttribute().Type, new MessageAttribute(0).Type));

    [Fact]
    public void It_says_what_it_was_made_from()
    {
        var contract = new MessageContract<int>(uint.MaxValue, new BlittableSerializer<int>(), version: 7, isSecret: true);

        Assert.Equal(uint.MaxValue, contract.Type);
        Assert.Equal(typeof(int), contract.MessageType);
        Assert.Equal("blittable", contract.SerializerName);
        Assert.Equal(7, contract.Version);
        Assert.True(contract.IsSecret);
        Assert.Null(contract.Compression);
        Assert.Equal("System.Int32 (type 4294967295, blittable, version 7)", contract.ToString());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-3)]
    public void A_version_below_1_is_refused(int version)
    {
        var exception = Assert.Throws<ArgumentOutOfRangeException>(() => new MessageContract<int>(1, new BlittableSerializer<int>(), version: version));

        Assert.Equal("version", exception.ParamName);
        Assert.StartsWith($"version is {version}; the minimum is 1.", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_contract_without_a_serializer_is_refused()
    {
        var exception = Assert.Throws<ArgumentNullException>(() => new MessageContract<int>(1, null!));

        Assert.Equal("serializer", exception.ParamName);
    }

    [Fact]
    public void GetDeclared_without_a_type_or_a_declared_contract_throws()
    {
        Assert.Throws<ArgumentNullException>("messageType", static () => MessageContract.GetDeclared(null!));
        Assert.Contains(nameof(MessageContractTests), Assert.Throws<InvalidOperationException>(() => MessageContract.GetDeclared(GetType())).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Declaring_the_same_contract_again_is_fine_and_another_one_is_refused()
    {
        var first = new MessageContract<Twice>(1001, new BlittableSerializer<Twice>());
        var second = new MessageContract<Twice>(1002, new BlittableSerializer<Twice>());

        Assert.Same(first, first.Declare());
        Assert.Same(first, first.Declare());
        var exception = Assert.Throws<InvalidOperationException>(second.Declare);

        Assert.Contains(typeof(Twice).ToString(), exception.Message, StringComparison.Ordinal);
        Assert.Contains("1001", exception.Message, StringComparison.Ordinal);
        Assert.Contains("1002", exception.Message, StringComparison.Ordinal);
        Assert.Same(first, MessageContract.GetDeclared<Twice>());
    }

    [Fact]
    public void A_type_without_a_declared_contract_is_named()
    {
        var exception = Assert.Throws<InvalidOperationException>(() => MessageContract.GetDeclared<Never>());

        Assert.Contains(typeof(Never).ToString(), exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_type_without_a_declared_contract_is_told_how_to_get_one()
    {
        var exception = Assert.Throws<InvalidOperationException>(() => MessageContract.GetDeclared<Never>());

        Assert.Contains("Mark it [Message]", exception.Message, StringComparison.Ordinal);
        Assert.Contains("the generator of Reloaded.Messaging", exception.Message, StringComparison.Ordinal);
        Assert.Contains("MessageContracts.Declare()", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(typeof(Task))]
    [InlineData(typeof(Task<Never>))]
    [InlineData(typeof(ValueTask))]
    [InlineData(typeof(ValueTask<Never>))]
    public void A_task_is_no_message_and_its_handler_is_told_what_an_asynchronous_one_takes(Type task)
    {
        var exception = Assert.Throws<InvalidOperationException>(() => Throw.NotDeclared(task));

        Assert.Contains("OnRequest<TRequest, TReply>(async (request, peer, token) => ...)", exception.Message, StringComparison.Ordinal);
    }

    private readonly record struct Twice(int Value);

    private readonly record struct Never(int Value);
}
