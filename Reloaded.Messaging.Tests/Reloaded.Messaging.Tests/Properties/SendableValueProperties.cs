using System.Reflection;
using System.Text;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Properties;

/// <summary>A receiver with the same contract handles what a writer packs, and gets the same value.</summary>
public sealed class SendableValueProperties
{
    private const int Seed = 20261128;
#if NET10_0_OR_GREATER
    private static readonly int s_valuesPerContract = Extent.Of(8, 40);
#else
    private static readonly int s_valuesPerContract = 8; // the same code with other library calls
#endif

    public static TheoryData<Type> Contracts { get; } = [.. SendableContracts.All, .. FrameworkContracts.All];

    [Theory]
    [MemberData(nameof(Contracts))]
    public void Value_that_is_packed_is_handled_and_is_the_same(Type message)
    {
        var check = typeof(SendableValueProperties).GetMethod(nameof(Check), BindingFlags.NonPublic | BindingFlags.Static)!.MakeGenericMethod(message).CreateDelegate<Func<object, MessageLimits, bool>>();
        var limits = new[] { new MessageLimits { MaxMessageSize = 20_000 }, MessageLimits.Default, new MessageLimits { MaxMessageSize = 3 << 20, MaxDecompressedSize = 3 << 20 } };
        var packed = 0;
        for (var i = 0; i < s_valuesPerContract; i++)
        {
            var random = new Random(Seed + i);
            var items = (int)Math.Pow(i % 8 == 0 ? 40_000 : 4_000, 0.3 + (0.7 * random.NextDouble()));
            var value = new ValueMaker(random, items).Message(message);
            try
            {
                packed += check(value, limits[i % 3]) ? 1 : 0;
            }
            catch (Exception e) when (e is not OutOfMemoryException)
            {
                throw new InvalidOperationException($"{message.Name}, the seed {Seed + i}, {items} items: {e.Message}", e);
            }
        }

        Assert.True(packed > s_valuesPerContract / 3, $"{packed} values were packed");
    }

    /// <returns><c>false</c> if the writer refuses the value; otherwise, <c>true</c>.</returns>
    private static bool Check<T>(object value, MessageLimits limits)
    {
        PackedMessage packed;
        var writer = new MessageWriter(limits);
        try
        {
            packed = writer.Pack((T)value);
        }
        catch (MessageTooLargeException)
        {
            return false;
        }
        catch (Exception e) when (e is InvalidOperationException or EncoderFallbackException)
        {
            Assert.Matches(@"Reloaded\.Messaging\.Tests\.\w+\.[\w<>,. ]+\.\w", e.Message); // the member that is refused
            return false;
        }

        using (packed)
        {
            var dispatcher = new MessageDispatcher<List<string>>(limits);
            dispatcher.Register<T>((in T message, ref List<string> got) => got.Add(ValueText.Of(message)));
            var got = new List<string>();
            Assert.Equal(DispatchStatus.Handled, dispatcher.Dispatch(packed.Span, ref got));
            Assert.Equal(ValueText.Of(value), Assert.Single(got));
        }

        return true;
    }
}
