using System.Runtime.CompilerServices;
using Reloaded.Messaging;

[assembly: TypeForwardedTo(typeof(JsonMessageSerializer<>))]
