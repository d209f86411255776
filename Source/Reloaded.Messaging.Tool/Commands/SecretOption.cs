using System;
using System.Buffers.Text;
using System.CommandLine;
using System.IO;

namespace Reloaded.Messaging.Tool;

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
        ({ } text, null) => Parse(text) ?? throw new ToolException(ExitCode.Usage, $"The value of {_text.Name} is neither hexadecimal digits nor base64."),
        (null, { } file) => Parse(ReadFile(file)) ?? throw ToolException.Invalid($"The text of {file} is neither hexadecimal digits nor base64. {_file.Name} needs one of them."),
        _ => throw new ToolException(ExitCode.Usage, $"{_text.Name} and {_file.Name} are both given. Remove one."),
    };

    private string ReadFile(string file)
    {
        try
        {
            return File.ReadAllText(file).Trim();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw ToolException.Invalid($"The file {file} of {_file.Name} cannot be read: {e.Message}");
        }
    }

    /// <summary>Reads base64 that ends with an equals sign, then hexadecimal digits, then other base64. Returns <c>null</c> for any other text.</summary>
    private static byte[]? Parse(string text)
    {
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
