using System.Collections.Generic;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Reads and checks the settings of one host: the configuration section <c>Messaging:NAME</c>.</summary>
/// <param name="host">The name of the host.</param>
/// <param name="isClient">Whether the host is a client.</param>
/// <param name="configuration">The configuration of the program, or <c>null</c> for a program without one.</param>
internal sealed class ConfigureSettings(string host, bool isClient, IConfiguration? configuration) : IConfigureNamedOptions<MessageHostSettings>, IValidateOptions<MessageHostSettings>
{
    private string Path => $"Messaging:{host}";

    /// <exception cref="OptionsValidationException">Thrown when the section has an unknown key or a wrong value. The exception names all of them.</exception>
    public void Configure(string? name, MessageHostSettings options)
    {
        if (name != host || configuration is null)
            return;
        var errors = new List<string>();
        var section = new SettingsSection(configuration.GetSection(Path), errors);
        options.Endpoint = EndpointReader.Read(section, isClient);
        options.Options = OptionsReader.Read(section, isClient);
        section.CheckKeys();
        if (errors.Count > 0)
            throw new OptionsValidationException(host, typeof(MessageHostSettings), errors);
    }

    public void Configure(MessageHostSettings options) => Configure(Options.DefaultName, options);

    public ValidateOptionsResult Validate(string? name, MessageHostSettings options)
    {
        if (name != host)
            return ValidateOptionsResult.Skip;
        return options.Endpoint is null
            ? ValidateOptionsResult.Fail($"The value of '{Path}:Endpoint' is missing. Set it, for example to 'tcp://127.0.0.1:5000' or 'local:{host}', or set MessageHostSettings.Endpoint in code.")
            : ValidateOptionsResult.Success;
    }
}
