using System;
using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;
using Reloaded.Messaging.Hosting.RabbitMQ;

namespace Reloaded.Messaging.Tool;

/// <summary>The arguments that name the dead letters of a group at a broker.</summary>
internal sealed class BrokerArguments
{
    private readonly Argument<string> _broker = new("broker") { Description = "The broker: amqp://user:password@host:port/virtual-host, or amqps:// for TLS." };
    private readonly Option<string> _topic = new("--topic") { Description = "The topic of the group's subscription, with its wildcards.", Required = true };
    private readonly Option<string> _group = new("--group") { Description = "The name of the group.", Required = true };
    private readonly Option<string> _scope = new("--scope") { Description = "RabbitOptions.Scope of the hosts.", DefaultValueFactory = static _ => "reloaded" };
    private readonly Option<string?> _passwordFile = new("--password-file") { Description = "A file with the password, which the process list does not show." };

    public void AddTo(Command command)
    {
        command.Arguments.Add(_broker);
        command.Options.Add(_topic);
        command.Options.Add(_group);
        command.Options.Add(_scope);
        command.Options.Add(_passwordFile);
    }

    /// <summary>Connects to the broker and opens the dead letters.</summary>
    /// <exception cref="ToolException">Thrown when the arguments are invalid, when the connection failed, or when there is no queue of dead letters.</exception>
    public async Task<DeadLetterQueue> OpenAsync(ParseResult result, CancellationToken cancellationToken)
    {
        try
        {
            var options = new RabbitOptions
            {
                Name = "reloaded-messaging-dead-letters",
                Scope = result.GetValue(_scope)!,
                MessageLimits = MessageFormatter.Limits,
            };
            return await DeadLetterQueue.OpenAsync(CreateFactory(result), result.GetValue(_topic)!, result.GetValue(_group)!, options, cancellationToken);
        }
        catch (ArgumentException e)
        {
            throw new ToolException(ExitCode.Usage, e.Message);
        }
        catch (InvalidOperationException e)
        {
            throw ToolException.Invalid(e.Message);
        }
        catch (Exception e) when (e is BrokerUnreachableException or OperationInterruptedException)
        {
            throw new ToolException(ExitCode.NoConnection, $"The broker was not reached, or refused the connection: {e.GetBaseException().Message}");
        }
    }

    /// <exception cref="ToolException">Thrown when the text is not the address of a broker, or when the file of the password cannot be read.</exception>
    private ConnectionFactory CreateFactory(ParseResult result)
    {
        if (!Uri.TryCreate(result.GetValue(_broker), UriKind.Absolute, out var uri) || uri.Scheme is not ("amqp" or "amqps"))
            throw new ToolException(ExitCode.Usage, "The broker is not an address of AMQP. Use amqp://user@host:port/virtual-host, or amqps:// for TLS.");
        var factory = new ConnectionFactory { Uri = uri };
        if (result.GetValue(_passwordFile) is not { } file)
            return factory;
        try
        {
            factory.Password = LimitedFile.ReadText(file, LimitedFile.Secret).TrimEnd('\r', '\n');
            return factory;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw ToolException.Invalid($"The file {file} of --password-file cannot be read: {e.Message}");
        }
    }
}
