using System;

namespace Reloaded.Messaging;

/// <summary>The names of the statuses for the meter. They are created once, so that counting a message allocates nothing.</summary>
internal static class DispatchStatusNames
{
    private static readonly string[] s_names = Enum.GetNames<DispatchStatus>();

    public static string Of(DispatchStatus status) => s_names[(int)status];
}
