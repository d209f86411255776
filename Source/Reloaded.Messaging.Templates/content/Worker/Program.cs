using Reloaded.Messaging.Extensions.Hosting;
using ReloadedWorker;

// The endpoint, the token and the limits are in appsettings.json, section Messaging:server.
var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Services.AddSingleton<Counter>();
builder.Services.AddMessageServer("server").AddRequestHandler<Count, Counted, CountHandler>();
builder.Services.AddHealthChecks().AddMessageHosts();
builder.Build().Run();
