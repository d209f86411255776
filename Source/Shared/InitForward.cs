using System.Runtime.CompilerServices;

// A library for netstandard2.1 refers to init accessors by the IsExternalInit of the netstandard2.1 build. A program for .NET loads this build instead.
[assembly: TypeForwardedTo(typeof(IsExternalInit))]
