using FsCheck;
using FsCheck.Fluent;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Properties;

public sealed class UVarintProperties
{
    // As many numbers of each length as of every other: uniform ones would nearly all take five bytes.
    private static readonly Gen<uint> s_numbers =
        from bits in Gen.Choose(0, 32)
        from low in Gen.Choose(int.MinValue, int.MaxValue)
        select bits == 0 ? 0 : (uint)low >> (32 - bits);

    [Fact]
    public void A_number_that_is_written_is_the_number_that_is_read() =>
        Prop.ForAll(s_numbers.ToArbitrary(), static number =>
        {
            Span<byte> bytes = stackalloc byte[UVarint.MaxSize];
            bytes.Fill(0xFF);
            var written = UVarint.Write(bytes, number);
            return written == UVarint.SizeOf(number)
                && UVarint.TryRead(bytes, out var read, out var size) == HeaderStatus.Ok
                && read == number
                && size == written;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Bytes_that_read_as_a_number_are_the_bytes_that_it_is_written_as() =>
        Prop.ForAll(Gen.Choose(0, 255).ArrayOf(6).ToArbitrary(), static numbers =>
        {
            var bytes = Array.ConvertAll(numbers, static number => (byte)number);
            var status = UVarint.TryRead(bytes, out var value, out var size);
            if (status != HeaderStatus.Ok)
                return status == HeaderStatus.BadVarint && value == 0 && size == 0;

            var written = new byte[UVarint.MaxSize];
            return UVarint.Write(written, value) == size && bytes.AsSpan(0, size).SequenceEqual(written.AsSpan(0, size));
        }).QuickCheckThrowOnFailure();
}
