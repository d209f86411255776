namespace Reloaded.Messaging;

/// <summary>The page of the documentation that describes the exceptions of the packages.</summary>
internal static class ErrorPage
{
    /// <summary>Returns the address of the section about an exception of the library.</summary>
    public static string LinkOf(Exception exception) => "https://github.com/Reloaded-Project/Reloaded.Messaging/blob/HEAD/docs/errors.md#" + exception.GetType().Name.ToLowerInvariant();
}
