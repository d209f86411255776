using System.Buffers.Text;
using System.CommandLine;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tool;

/// <summary>The options of a protected server: its token, TLS and encryption.</summary>
internal sealed class SecurityArguments
{
    private readonly SecretOption _token = new("token", "The token of the server");
    private readonly SecretOption _secret = new("secret", "The secret of a server with ProtectionOptions.WithSecret");
    private readonly Option<bool> _protect = new("--protect") { Description = "Encrypts with keys that both sides agree on by the token, for a server with ProtectionOptions.WithToken." };
    private readonly Option<string?> _serverKey = new("--server-key") { Description = "Encrypts as --protect does, and trusts only the server with this public key, for a server with ProtectionOptions.WithServerKeyFile." };
    private readonly Option<bool> _tls = new("--tls") { Description = "Uses TLS. The system checks the certificate of the server." };
    private readonly Option<string?> _pin = new("--tls-pin") { Description = "Uses TLS, and trusts only the certificate with this SHA-256 thumbprint." };

    public void AddTo(Command command)
    {
        _token.AddTo(command);
        _secret.AddTo(command);
        command.Options.Add(_protect);
        command.Options.Add(_serverKey);
        command.Options.Add(_tls);
        command.Options.Add(_pin);
    }

    /// <returns>The token; empty for no token.</returns>
    /// <exception cref="ToolException">Thrown when the token is invalid.</exception>
    public byte[] GetToken(ParseResult result) => _token.Read(result) ?? [];

    /// <returns>The TLS options; <c>null</c> for no TLS.</returns>
    /// <exception cref="ToolException">Thrown when the thumbprint is invalid.</exception>
    public TlsOptions? GetTls(ParseResult result)
    {
        var pin = result.GetValue(_pin);
        if (pin is null && !result.GetValue(_tls))
            return null;
        try
        {
            return new TlsOptions { PinnedThumbprint = pin };
        }
        catch (ArgumentException e)
        {
            throw new ToolException(ExitCode.Usage, $"{_pin.Name}: {e.Message.Split('\n').First()}");
        }
    }

    /// <returns>The encryption; <c>null</c> for no encryption.</returns>
    /// <exception cref="ToolException">Thrown when the secret is invalid, or when the options contradict each other.</exception>
    public ProtectionOptions? GetProtection(ParseResult result)
    {
        var (secret, serverKey) = (_secret.Read(result), result.GetValue(_serverKey));
        var protect = result.GetValue(_protect) || serverKey is not null;
        if (secret is not null && protect)
            throw new ToolException(ExitCode.Usage, "--secret uses the secret as the key, and --protect and --server-key use the token. Remove one.");
        if (protect && GetToken(result).Length < ProtectionOptions.MinSecretSize)
            throw new ToolException(ExitCode.Usage, $"--protect and --server-key need a token of at least {ProtectionOptions.MinSecretSize} bytes. Add --token-file.");
        if (protect)
            return serverKey is null ? ProtectionOptions.WithToken() : Pin(serverKey);
        if (secret is null)
            return null;
        return secret.Length >= ProtectionOptions.MinSecretSize
            ? ProtectionOptions.WithSecret(secret)
            : throw new ToolException(ExitCode.Usage, $"The secret is {secret.Length} bytes long; the minimum is {ProtectionOptions.MinSecretSize}. Use the secret of the server.");
    }

    private ProtectionOptions Pin(string serverKey)
    {
        try
        {
            return ProtectionOptions.WithServerKey(serverKey);
        }
        catch (ArgumentException e)
        {
            throw new ToolException(ExitCode.Usage, $"{_serverKey.Name}: {e.Message.Split('\n').First()}");
        }
    }

    /// <summary>Returns the options of the tool that may solve a failure to connect, as a sentence after a space; empty for none.</summary>
    public static string Advise(Exception failure) => failure switch
    {
        HandshakeException { Reason: DisconnectReason.WrongToken } => " The tool reads the token by --token-file or --token.",
        TransportClosedException { Reason: TransportCloseReason.TlsFailed } => " The tool trusts one certificate by --tls-pin.",
        HandshakeException { Reason: DisconnectReason.WrongProtection or DisconnectReason.NotAPeer or DisconnectReason.ConnectionLost } or
        TransportClosedException { Reason: TransportCloseReason.WrongProtection } => " The tool encrypts by --secret-file, --protect, --server-key, --tls or --tls-pin, as the server does.",
        _ => "",
    };
}

/// <summary>Secret bytes on the command line, or in a file. Other users can read the command line of a process.</summary>
internal sealed class SecretOption
{
    private readonly Option<string?> _text;
    private readonly Option<string?> _file;

    /// <param name="name">The name of the option without dashes, such as <c>token</c>.</param>
    /// <param name="description">The beginning of a sentence that describes the bytes.</param>
    public SecretOption(string name, string description)
    {
        _text = new Option<string?>($"--{name}") { Description = $"{description}, as hexadecimal digits or base64. The process list shows it." };
        _file = new Option<string?>($"--{name}-file") { Description = $"A file with the {name}, as hexadecimal digits or base64." };
    }

    public void AddTo(Command command)
    {
        command.Options.Add(_text);
        command.Options.Add(_file);
    }

    /// <returns>The bytes; <c>null</c> if neither option is given.</returns>
    /// <exception cref="ToolException">Thrown when both options are given, or when the file or the text is invalid.</exception>
    public byte[]? Read(ParseResult result) => (result.GetValue(_text), result.GetValue(_file)) switch
    {
        (null, null) => null,
        ({ } text, null) => Parse(text) ?? throw new ToolException(ExitCode.Usage, $"The value of {_text.Name} is {Fault(text)}."),
        (null, { } file) => ParseFile(file),
        _ => throw new ToolException(ExitCode.Usage, $"{_text.Name} and {_file.Name} are both given. Remove one."),
    };

    private static string Fault(string text) => string.IsNullOrWhiteSpace(text) ? "empty, and not hexadecimal digits or base64" : "neither hexadecimal digits nor base64";

    private byte[] ParseFile(string file)
    {
        var text = ReadFile(file);
        return Parse(text) ?? throw ToolException.Invalid($"The text of {file} is {Fault(text)}. {_file.Name} needs one of them.");
    }

    private string ReadFile(string file)
    {
        try
        {
            return LimitedFile.ReadText(file, LimitedFile.Secret).Trim();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw ToolException.Invalid($"The file {file} of {_file.Name} cannot be read: {e.Message}");
        }
    }

    /// <summary>Reads base64 that ends with an equals sign, then hexadecimal digits, then other base64. Returns <c>null</c> for any other text, and for no bytes, which would mean no secret.</summary>
    private static byte[]? Parse(string text)
    {
        if (string.IsNullOrWhiteSpace(text))
            return null;
        var isBase64 = Base64.IsValid(text);
        if (isBase64 && text.EndsWith('='))
            return Convert.FromBase64String(text);
        try
        {
            return Convert.FromHexString(text);
        }
        catch (FormatException)
        {
            return isBase64 ? Convert.FromBase64String(text) : null;
        }
    }
}
