using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Services;

[MessageService]
internal interface IOther
{
    Task<int> CountAsync(int atLeast);
}
