using System.Linq;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>A window of packet numbers, compared with a set of all received numbers, over the whole range of numbers.</summary>
public sealed class ReplayWindowModelTests
{
    [Fact]
    public void ReplayWindow_is_a_set_of_the_newest_numbers()
    {
        ModelRun.Compare(150, 600, static random =>
        {
            var (window, model) = (new ReplayWindow(), new HashSet<ulong>());
            var (newest, first) = (random.Pick<ulong>([0, 1, 63, 64, ReplayWindow.Size, uint.MaxValue, ulong.MaxValue - 3000, ulong.MaxValue - 1]), 0UL);
            var start = newest;
            return () =>
            {
                var distance = (ulong)random.NextUpTo(random.Pick([3, 64, ReplayWindow.Size, 2 * ReplayWindow.Size]));
                var number = random.Next(3) == 0 ? (ulong.MaxValue - newest < distance ? ulong.MaxValue : newest + distance) : (newest < distance ? 0 : newest - distance);
                var expected = model.Count > 0 && number <= newest && newest - number >= ReplayWindow.Size ? OpenStatus.TooOld : model.Contains(number) ? OpenStatus.Replayed : OpenStatus.Ok;
                Assert.Equal(expected, window.Check(number));
                if (expected == OpenStatus.Ok)
                {
                    window.Note(number);
                    newest = model.Count == 0 ? number : Math.Max(newest, number);
                    first = model.Count == 0 ? number : first;
                    model.Add(number);
                    model.RemoveWhere(one => newest - one >= ReplayWindow.Size);
                }

                Assert.Equal((model.Count > 0, model.Count > 0 ? newest : 0), (window.HasAny, window.Newest));
                if (model.Count > 0)
                {
                    // The numbers below the first one are counted as received only if they are beyond it.
                    var count = Math.Min((double)(newest - first) + 1, ReplayWindow.Size);
                    var oldest = newest - (ulong)(count - 1);
                    Assert.Equal((count - model.Count(one => one >= oldest)) / count, window.GetMissingShare());
                    var word = window.WordOf(newest);
                    for (var bit = 0; bit < ReplayWindow.WordBits && (ulong)bit <= newest % ReplayWindow.WordBits; bit++)
                        Assert.Equal(model.Contains(newest - (newest % ReplayWindow.WordBits) + (ulong)bit), (word >> bit & 1) != 0);
                }
                else
                {
                    Assert.Null(window.GetMissingShare());
                }

                return $"{number} from {start}";
            };
        });
    }
}
