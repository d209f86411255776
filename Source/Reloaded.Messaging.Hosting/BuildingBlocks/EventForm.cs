using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>A handler without a reply, and a method for each form of it. The method has the form that a host registers, and the number of arguments of the handler in its name.</summary>
/// <remarks>One class in place of a closure for each form. The caller takes the method that fits the delegate, which is not checked again for each message.</remarks>
internal sealed class EventForm<T, TFrom>
{
    private readonly object _handler;

    public EventForm(object handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        _handler = handler;
    }

    public void Action1(in T message, TFrom from) => Unsafe.As<Action<T>>(_handler)(message);

    public void Action2(in T message, TFrom from) => Unsafe.As<Action<T, TFrom>>(_handler)(message, from);

    public ValueTask Task1(T message, TFrom from, CancellationToken token) => new(Unsafe.As<Func<T, Task>>(_handler)(message));

    public ValueTask Task2(T message, TFrom from, CancellationToken token) => new(Unsafe.As<Func<T, TFrom, Task>>(_handler)(message, from));

    public ValueTask Task3(T message, TFrom from, CancellationToken token) => new(Unsafe.As<Func<T, TFrom, CancellationToken, Task>>(_handler)(message, from, token));

    public ValueTask ValueTask1(T message, TFrom from, CancellationToken token) => Unsafe.As<Func<T, ValueTask>>(_handler)(message);

    public ValueTask ValueTask2(T message, TFrom from, CancellationToken token) => Unsafe.As<Func<T, TFrom, ValueTask>>(_handler)(message, from);
}
