using Reloaded.Messaging.Extensions.Hosting;
using Worker;

// A worker service with a server and a client. Their endpoints, tokens and delays are in appsettings.json.
var builder = Host.CreateApplicationBuilder(new HostApplicationBuilderSettings { Args = args, ContentRootPath = AppContext.BaseDirectory });
builder.Logging.AddSimpleConsole(static console => console.SingleLine = true);
builder.Services.AddSingleton<Seats>();
builder.Services.AddMessageServer("lobby").AddRequestHandler<Join, Joined, JoinHandler>();
builder.Services.AddMessageClient("game");
builder.Services.AddHealthChecks().AddMessageHosts();
builder.Services.AddHostedService<Game>();
builder.Build().Run();
