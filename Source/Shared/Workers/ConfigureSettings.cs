using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Reloaded.Messaging.Extensions.Hosting;

/// <summary>Reads and checks the settings of one host: the configuration section <c>Messaging:NAME</c>.</summary>
/// <param name="host">The name of the host.</param>
/// <param name="configuration">The configuration of the program, or <c>null</c> for a program without one.</param>
/// <param name="read">Reads the settings from the section.</param>
/// <param name="check">Returns the error of settings that are not complete; otherwise, <c>null</c>.</param>
internal sealed class ConfigureSettings<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicParameterlessConstructor)] TSettings>(string host, IConfiguration? configuration, Action<SettingsSection, TSettings> read, Func<TSettings, string?> check) : IConfigureNamedOptions<TSettings>, IValidateOptions<TSettings>
    where TSettings : class
{
    /// <summary>Adds the settings of a host to the services. They are checked when the program starts.</summary>
    public static void AddTo(IServiceCollection services, string host, Action<SettingsSection, TSettings> read, Func<TSettings, string?> check)
    {
        services.AddOptions<TSettings>(host).ValidateOnStart();
        services.AddSingleton<IConfigureOptions<TSettings>>(Make);
        services.AddSingleton<IValidateOptions<TSettings>>(Make);

        ConfigureSettings<TSettings> Make(IServiceProvider provider) => new(host, provider.GetService<IConfiguration>(), read, check);
    }

    /// <exception cref="OptionsValidationException">Thrown when the section has an unknown key or a wrong value. The exception names all of them.</exception>
    public void Configure(string? name, TSettings options)
    {
        if (name != host || configuration is null)
            return;
        var errors = new List<string>();
        var section = new SettingsSection(configuration.GetSection($"Messaging:{host}"), errors);
        read(section, options);
        if (errors.Count > 0)
            throw new OptionsValidationException(host, typeof(TSettings), errors);
    }

    public void Configure(TSettings options) => Configure(Options.DefaultName, options);

    public ValidateOptionsResult Validate(string? name, TSettings options)
    {
        if (name != host)
            return ValidateOptionsResult.Skip;
        return check(options) is { } error ? ValidateOptionsResult.Fail(error) : ValidateOptionsResult.Success;
    }
}
