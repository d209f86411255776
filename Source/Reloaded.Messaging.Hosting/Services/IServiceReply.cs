using System.ComponentModel;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>A generated reply, which contains the result of a service's method. For generated code.</summary>
/// <typeparam name="TResult">The result.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IServiceReply<out TResult>
{
    /// <summary>The result of the method.</summary>
    TResult Result { get; }
}
