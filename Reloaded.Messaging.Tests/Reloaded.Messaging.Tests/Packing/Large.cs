using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Tests.Packing;

/// <summary>128 bytes: a struct too large to be stored without looking at the limits.</summary>
[InlineArray(128)]
internal struct Large
{
    private byte _first;
}
