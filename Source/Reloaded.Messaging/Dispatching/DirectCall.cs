namespace Reloaded.Messaging;

/// <summary>A handler of a blittable type, called with a reference to the first byte of a payload that has the type's exact size.</summary>
internal delegate void DirectCall<T>(ref byte payload, ref T state);
